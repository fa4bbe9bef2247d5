import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { argumentsFor } from '../../shared/decide/arguments.ts';
import { depsOf, tool } from './catalogue.ts';
import { check, described, extracted } from './extracted.ts';

check('keys of stored files', [
  {
    task: 'convert the picture img/cat.png to webp',
    properties: {
      key: described('string', 'Of an uploaded picture.'),
      format: { type: 'string', enum: ['jpeg', 'png', 'webp'] },
    },
    expected: { key: 'img/cat.png', format: 'webp' },
  },
  {
    task: 'make the photo cat.jpg 640 pixels wide',
    properties: { key: described('string', 'Of an uploaded picture.') },
    expected: { key: 'cat.jpg' },
  },
]);

check('numbers', [
  {
    task: 'a triangle with base 10 and height 5.5',
    properties: { height: 'number', base: 'number' },
    expected: { base: 10, height: 5.5 },
  },
  {
    task: 'the sides are 5 units, 4 units and 3 units',
    properties: { side1: 'integer', side2: 'integer', side3: 'integer' },
    expected: { side1: 5, side2: 4, side3: 3 },
  },
  {
    task: 'invest $1.5 million at 5% for ten years',
    properties: {
      amount: 'number',
      annual_rate: described('number', 'the interest rate as a decimal'),
      years: 'integer',
    },
    expected: { amount: 1_500_000, annual_rate: 0.05, years: 10 },
  },
  {
    task: 'wait two hours',
    properties: { delay: described('integer', 'how long to wait, in minutes') },
    expected: { delay: 120 },
  },
  {
    task: 'solve with a=2, b=-6 and c=5',
    properties: { a: 'integer', b: 'integer', c: 'integer' },
    expected: { a: 2, b: -6, c: 5 },
  },
  {
    task: '买三张票',
    properties: { quantity: described('integer', 'number of tickets 票') },
    expected: { quantity: 3 },
  },
  {
    task: 'cars made in 2019, show 5 results',
    properties: { limit: described('integer', 'how many results'), year: 'integer' },
    expected: { limit: 5, year: 2019 },
  },
]);

check('values by name before values by order', [
  {
    task: 'the neuron with an input rate of 200 and weight 0.5 and decay rate of 0.1',
    properties: { input_rate: 'number', decay_rate: 'number', weight: 'number' },
    expected: { input_rate: 200, decay_rate: 0.1, weight: 0.5 },
  },
  {
    task: 'resize photo.jpg to 300 pixels',
    properties: {
      key: described('string', 'Of an uploaded picture.'),
      width: described('integer', 'In pixels.'),
      height: described('integer', 'In pixels.'),
    },
    expected: { key: 'photo.jpg', width: 300 },
  },
  {
    task: 'could you set the volume to 50?',
    properties: {
      volume: described('integer', 'Valid range is from 0 to 100, where 0 is completely muted and 100 is the loudest.'),
    },
    expected: { volume: 50 },
  },
  {
    task: 'a list of all the postgres servers',
    properties: { server_type: { type: 'string', enum: ['all', 'postgres', 'graphql'], default: 'all' } },
    expected: { server_type: 'postgres' },
  },
]);

check('booleans and choices', [
  {
    task: 'a recipe without nuts, include the calories',
    properties: { include_calories: 'boolean', nuts: 'boolean' },
    expected: { include_calories: true, nuts: false },
  },
  {
    task: 'Book a seat, premium is not wanted',
    properties: { premium: 'boolean' },
    expected: { premium: false },
  },
  {
    task: "a flat where parking isn't needed",
    properties: { parking: 'boolean' },
    expected: { parking: false },
  },
  {
    task: 'a flat with parking, not furnished',
    properties: { parking: 'boolean', furnished: 'boolean' },
    expected: { parking: true, furnished: false },
  },
  {
    task: 'the temperature in Fahrenheit',
    properties: { unit: { type: 'string', enum: ['celsius', 'fahrenheit'] } },
    expected: { unit: 'fahrenheit' },
  },
  {
    task: 'sort the results in descending order',
    properties: {
      order: { type: 'string', enum: ['asc', 'desc'], description: "'asc' for ascending, 'desc' for descending" },
    },
    expected: { order: 'desc' },
  },
  {
    task: 'rooms in Bangkok',
    properties: { province_id: described('integer', '1 for Bangkok, 2 for Chiang Mai, 3 for Phuket') },
    expected: { province_id: 1 },
  },
  {
    task: 'a hotel with three stars',
    properties: { star_rating: { type: 'string', enum: ['1', '2', '3', '4', '5'], description: 'stars of the hotel' } },
    expected: { star_rating: '3' },
  },
]);

check('dates and times', [
  {
    task: 'the weather on April 22nd, 2023',
    properties: { date: described('string', 'YYYY-MM-DD') },
    expected: { date: '2023-04-22' },
  },
  {
    task: 'from March 9th to March 12th 2023',
    properties: { start_date: 'string', end_date: 'string' },
    expected: { start_date: '2023-03-09', end_date: '2023-03-12' },
  },
  { task: 'remind me tomorrow', properties: { date: 'string' }, expected: { date: '2024-05-11' } },
  { task: 'on next Monday', properties: { date: 'string' }, expected: { date: '2024-05-13' } },
  { task: 'what did I do 3 days ago', properties: { date: 'string' }, expected: { date: '2024-05-07' } },
  { task: 'available tomorrow, today is 20230929', properties: { date: 'string' }, expected: { date: '2023-09-30' } },
  {
    task: 'on 12/03/2024 as DD/MM/YYYY please',
    properties: { date: described('string', 'format DD/MM/YYYY') },
    expected: { date: '03/12/2024' },
  },
  {
    task: 'on March 23, 2024 at 3:00 p.m.',
    properties: { when: described('string', "date and time as 'YYYY-MM-DD HH:mm:ss'") },
    expected: { when: '2024-03-23 15:00:00' },
  },
  {
    task: 'pick me up at 2pm',
    properties: { pickup_time: described('string', '24-hour HH:MM') },
    expected: { pickup_time: '14:00' },
  },
  { task: '2023年5月1日的天气', properties: { date: 'string' }, expected: { date: '2023-05-01' } },
  {
    task: '明天下午3点开会',
    properties: { time: described('string', 'HH:MM'), date: 'string' },
    expected: { time: '15:00', date: '2024-05-11' },
  },
]);

check('names, places and addresses', [
  {
    task: 'songs by Ed Sheeran from the album Divide',
    properties: { artist: 'string', album: 'string' },
    expected: { artist: 'Ed Sheeran', album: 'Divide' },
  },
  {
    task: 'a therapist in Long Beach',
    properties: { city: described('string', "in the format 'City, State', such as 'New York, NY'") },
    expected: { city: 'Long Beach, CA' },
  },
  {
    task: 'the forecast for Rutherford, NJ',
    properties: { city: described('string', 'name of the city') },
    expected: { city: 'Rutherford' },
  },
  {
    task: 'travel from Berlin to Madrid',
    properties: { destination: 'string', origin: 'string' },
    expected: { origin: 'Berlin', destination: 'Madrid' },
  },
  {
    task: 'a cab to 456 Elm St, Springville, IL',
    properties: { destination: described('string', 'street address, city and state') },
    expected: { destination: '456 Elm St, Springville, IL' },
  },
  {
    task: 'weather in London',
    properties: { city: 'string', country: described('string', 'ISO country code, two-letter') },
    expected: { city: 'London' },
  },
  {
    task: '从北京到上海的火车',
    properties: { origin: 'string', destination: 'string' },
    expected: { origin: '北京', destination: '上海' },
  },
]);

check('strings', [
  {
    task: "add the news titled 'Spring is here' please",
    properties: { title: 'string' },
    expected: { title: 'Spring is here' },
  },
  { task: 'write to ann@example.org', properties: { recipient: 'string' }, expected: { recipient: 'ann@example.org' } },
  {
    task: 'open https://example.org/a?b=1.',
    properties: { url: 'string' },
    expected: { url: 'https://example.org/a?b=1' },
  },
  { task: 'read /var/log/syslog now', properties: { path: 'string' }, expected: { path: '/var/log/syslog' } },
  { task: 'the order with ID AB-1234', properties: { order_id: 'string' }, expected: { order_id: 'AB-1234' } },
  {
    task: 'convert 150 euros to Canadian dollars',
    properties: { from_currency: 'string', to_currency: 'string', amount: 'number' },
    expected: { from_currency: 'EUR', to_currency: 'CAD', amount: 150 },
  },
  {
    task: 'how many teaspoons are in 2 tablespoons',
    properties: { from_unit: 'string', to_unit: 'string' },
    expected: { from_unit: 'tablespoons', to_unit: 'teaspoons' },
  },
  { task: 'run the command ls -l /tmp', properties: { command: 'string' }, expected: { command: 'ls -l /tmp' } },
  { task: 'name=Ann, age=42', properties: { name: 'string', age: 'integer' }, expected: { name: 'Ann', age: 42 } },
]);

check('lists and objects', [
  {
    task: 'the mean of 3, 5 and 10',
    properties: { numbers: { type: 'array', items: { type: 'number' } } },
    expected: { numbers: [3, 5, 10] },
  },
  {
    task: "sort ['pear', 'fig'] for me",
    properties: { items: { type: 'array', items: { type: 'string' } } },
    expected: { items: ['pear', 'fig'] },
  },
  {
    task: 'the prime ministers of Australia, Canada, and India',
    properties: { countries: { type: 'array', items: { type: 'string' } } },
    expected: { countries: ['Australia', 'Canada', 'India'] },
  },
  {
    task: 'readings of temperature and humidity',
    properties: { metrics: { type: 'array', items: { type: 'string', enum: ['temperature', 'humidity', 'noise'] } } },
    expected: { metrics: ['temperature', 'humidity'] },
  },
  {
    task: "update the user 'name':'John Doe', 'email':'john@example.org'",
    properties: {
      info: {
        type: 'object',
        properties: { name: { type: 'string' }, email: { type: 'string' } },
        required: ['name', 'email'],
      },
    },
    expected: { info: { name: 'John Doe', email: 'john@example.org' } },
  },
]);

describe('arguments that are not given', () => {
  test('optional parameters stay unset, and required ones are not invented', async () => {
    const properties = { email: 'string', count: 'integer', date: 'string', flag: 'boolean' };

    assert.deepEqual(await extracted({ task: 'do the usual thing', properties, required: [] }), {});
    assert.deepEqual(await extracted({ task: 'do the usual thing', properties }), {});
  });

  test('relative dates stay unset without a clock', async () => {
    const made = tool('made_up', 'Does it', { date: { type: 'string' } }, ['date']);

    assert.deepEqual((await argumentsFor({ task: 'do it tomorrow' }, made, depsOf([made]))).arguments, {});
  });
});

check('dates as chrono-node reads them, without what is none', [
  { task: 'what happens in 3 weeks', properties: { date: 'string' }, expected: { date: '2024-05-31' } },
  { task: 'pay it in 2 months', properties: { date: 'string' }, expected: { date: '2024-07-10' } },
  { task: 'from today until the 12th', properties: { end_date: 'string' }, expected: { end_date: '2024-05-12' } },
  {
    task: 'book it from 9:00 to 10:30 AM on May 12',
    properties: { start_time: described('string', 'HH:MM'), end_time: described('string', 'HH:MM') },
    expected: { start_time: '09:00', end_time: '10:30' },
  },
  { task: '三天后提醒我', properties: { date: 'string' }, expected: { date: '2024-05-13' } },
  { task: 'sun exposure of the balcony', properties: { date: 'string' }, expected: {} },
  { task: 'a table for 3 to 5 people', properties: { time: described('string', 'HH:MM') }, expected: {} },
  { task: 'half of it is 1/2 cup', properties: { date: 'string' }, expected: {} },
]);

check('telephone numbers', [
  {
    task: 'call Omar at +49 170 1234567',
    properties: { phone: described('string', 'The number to call') },
    expected: { phone: '+49 170 1234567' },
  },
  {
    task: 'text 415-555-0132 that I am late',
    properties: { phone_number: described('string', 'Whom to write to') },
    expected: { phone_number: '415-555-0132' },
  },
  {
    task: 'call Omar at +49 170 1234567',
    properties: { mobile: described('string', 'E.164 form') },
    expected: { mobile: '+491701234567' },
  },
]);

test('R1.08 an address is no name where another parameter takes addresses', async () => {
  const task = 'add a server at http://db.example.org';
  const given = await extracted({ task, properties: { nickname: 'string', host: 'string' }, required: ['nickname'] });
  assert.equal(given.host, 'http://db.example.org');
  assert.notEqual(given.nickname, given.host);
});
