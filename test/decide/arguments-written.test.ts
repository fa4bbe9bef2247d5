import { check, described } from './extracted.ts';

const object = (properties: Readonly<Record<string, { readonly type: string }>>) => ({ type: 'object', properties });

check('objects and lists written into a task', [
  {
    task: 'check {"age":"x","tags":[1,[2]]} against the schema {"type":"object","properties":{"age":{"type":"integer"}}}',
    properties: { data: {}, schema: { type: 'object' } },
    expected: {
      data: { age: 'x', tags: [1, [2]] },
      schema: { type: 'object', properties: { age: { type: 'integer' } } },
    },
  },
  {
    task: 'the matrix is [[1, 2], [3, 4]]',
    properties: { matrix: { type: 'array', items: { type: 'array', items: { type: 'number' } } } },
    expected: {
      matrix: [
        [1, 2],
        [3, 4],
      ],
    },
  },
  {
    task: 'merge {"note": "a } in a text"} now',
    properties: { data: { type: 'object' } },
    expected: { data: { note: 'a } in a text' } },
  },
]);

check('quotes over several lines', [
  {
    task: 'turn this into rows: "name,age\nAnn,30"',
    properties: { csv: described('string', 'The text to read.') },
    expected: { csv: 'name,age\nAnn,30' },
  },
]);

check('days counted from others', [
  {
    task: 'how many days from 2024-01-15 until 2024-03-01',
    properties: { date: described('string', 'A date'), until: described('string', 'Another date, YYYY-MM-DD') },
    expected: { date: '2024-01-15', until: '2024-03-01' },
  },
  {
    task: 'what date is 45 days after 2024-06-01',
    properties: {
      date: described('string', 'A date'),
      add: object({ days: { type: 'integer' }, weeks: { type: 'integer' } }),
    },
    required: ['date'],
    expected: { date: '2024-06-01', add: { days: 45 } },
  },
  {
    task: 'book it 45 days after 2024-06-01',
    properties: { date: described('string', 'Date as YYYY-MM-DD') },
    expected: { date: '2024-07-16' },
  },
]);

check('switches', [
  {
    task: 'switch off the lights in the kitchen',
    properties: { on: described('boolean', 'On or off') },
    expected: { on: false },
  },
  {
    task: 'bedroom lights on please',
    properties: { on: described('boolean', 'On or off') },
    expected: { on: true },
  },
  { task: '关闭客厅的空调', properties: { enabled: described('boolean', 'On or off') }, expected: { enabled: false } },
]);

check('sizes, ids and files', [
  {
    task: 'scale it to 1920 by 1080',
    properties: { height: 'integer', width: 'integer' },
    expected: { width: 1920, height: 1080 },
  },
  {
    task: 'where is my order 100-2234-9?',
    properties: { order_number: described('string', 'Number of the order') },
    expected: { order_number: '100-2234-9' },
  },
  {
    task: '把 照片.png 转成 webp',
    properties: {
      key: described('string', 'Of an uploaded picture.'),
      format: { type: 'string', enum: ['png', 'webp'] },
    },
    expected: { key: '照片.png', format: 'webp' },
  },
  {
    task: "how does 'colour' differ from notes.html",
    properties: { key: described('string', 'Of an uploaded picture.') },
    expected: {},
  },
]);

check('offered values by what explains them, and by no label of another', [
  {
    task: 'backpacks, cheapest first',
    properties: {
      sort: {
        type: 'string',
        enum: ['price_asc', 'price_desc'],
        description: 'price_asc for cheapest first, price_desc for most expensive first',
      },
    },
    expected: { sort: 'price_asc' },
  },
  {
    task: 'hash the text "secret"',
    properties: { text: 'string', input: { type: 'string', enum: ['text', 'base64'] } },
    required: ['text'],
    expected: { text: 'secret' },
  },
]);
