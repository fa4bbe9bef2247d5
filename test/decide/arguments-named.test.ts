import { unitConvert } from '../../shared/execute/builtins/unit-convert.ts';
import type { JsonSchema } from '../../shared/kernel/json.ts';
import { check, described } from './extracted.ts';

const units = (unitConvert.definition.parameters as { properties: Record<string, JsonSchema> }).properties;
const translation = { text: 'string', target_language: described('string', 'The language to translate into') };
const required = ['target_language'];

check('units', [
  {
    task: 'convert 5 miles to kilometers',
    properties: units,
    expected: { value: 5, from: 'miles', to: 'kilometers' },
  },
  { task: 'how many pounds are 12.5 kg', properties: units, expected: { value: 12.5, from: 'kg', to: 'pounds' } },
  { task: 'convert 12 km/h to mph', properties: units, expected: { value: 12, from: 'km/h', to: 'mph' } },
  {
    task: 'convert 350 degrees fahrenheit to celsius',
    properties: units,
    expected: { value: 350, from: 'fahrenheit', to: 'celsius' },
  },
  { task: 'what is 20 C in F', properties: units, expected: { value: 20, from: 'C', to: 'F' } },
  { task: '把5英里换算成公里', properties: units, expected: { value: 5, from: 'mile', to: 'kilometer' } },
  { task: '100华氏度等于多少摄氏度', properties: units, expected: { value: 100, from: 'fahrenheit', to: 'celsius' } },
]);

check('languages', [
  { task: 'translate this into French', properties: translation, required, expected: { target_language: 'French' } },
  { task: 'say it in german please', properties: translation, required, expected: { target_language: 'german' } },
  { task: '把这段话翻译成法语', properties: translation, required, expected: { target_language: 'French' } },
  { task: '请译成西班牙语', properties: translation, required, expected: { target_language: 'Spanish' } },
  {
    task: '把“早上好”翻译成日文',
    properties: translation,
    expected: { text: '早上好', target_language: 'Japanese' },
  },
  {
    task: '把 good morning 翻译成日语',
    properties: translation,
    expected: { text: 'good morning', target_language: 'Japanese' },
  },
  {
    task: '把这句话翻译成德语',
    properties: { 目标语言: described('string', '目标语言') },
    expected: { 目标语言: '德语' },
  },
  {
    task: '翻译成法语',
    properties: { lang: described('string', 'ISO code of the language') },
    expected: { lang: 'fr' },
  },
  {
    task: 'translate this English text to Danish',
    properties: { tgt_lang: { type: 'string', enum: ['en', 'zh', 'jp', 'da'] } },
    expected: { tgt_lang: 'da' },
  },
  {
    task: '从英语翻译成日语',
    properties: {
      source: { type: 'string', description: 'source language', enum: ['en', 'zh', 'ja'] },
      target: { type: 'string', description: 'target language', enum: ['en', 'zh', 'ja'] },
    },
    expected: { source: 'en', target: 'ja' },
  },
]);

check('currencies', [
  {
    task: '把100美元换成欧元',
    properties: { amount: 'number', from_currency: 'string', to_currency: 'string' },
    expected: { amount: 100, from_currency: 'USD', to_currency: 'EUR' },
  },
  {
    task: 'the price in euros',
    properties: { currency: { type: 'string', enum: ['USD', 'EUR', 'GBP'] } },
    expected: { currency: 'EUR' },
  },
]);

check('Chinese words for English parameters', [
  {
    task: '宽度100，高度50',
    properties: { height: 'integer', width: 'integer' },
    expected: { width: 100, height: 50 },
  },
  {
    task: '按价格降序排列',
    properties: { order: { type: 'string', enum: ['ascending', 'descending'] } },
    expected: { order: 'descending' },
  },
  { task: '搜索人工智能的新闻', properties: { query: 'string' }, expected: { query: '人工智能' } },
  {
    task: '预订3个房间，2024年6月1日入住，北京',
    properties: { city: 'string', date: 'string', rooms: 'integer' },
    expected: { city: '北京', date: '2024-06-01', rooms: 3 },
  },
  { task: '执行命令 ls -l', properties: { command: 'string' }, expected: { command: 'ls -l' } },
]);

check('choices', [
  {
    task: 'list them in descending order',
    properties: { sort_order: { type: 'string', enum: ['asc', 'desc'] } },
    expected: { sort_order: 'desc' },
  },
  {
    task: 'add a news article',
    properties: { kind: { type: 'string', enum: ['News', 'BlogPost', 'Event'] } },
    expected: { kind: 'News' },
  },
  {
    task: 'a housekeeper in Chonburi',
    properties: {
      province_id: described('integer', 'For example, 1 corresponds to Bangkok, 2 to Chiang Mai, and 3 to Chonburi.'),
    },
    expected: { province_id: 3 },
  },
]);

check('what stands around a value', [
  {
    task: 'find a cleaner in Bangkok, Chatuchak District',
    properties: { district_name: 'string' },
    expected: { district_name: 'Chatuchak' },
  },
  {
    task: 'a helper with a review score of 4.5 stars or more',
    properties: { rating: described('number', 'minimum average rating') },
    required: [],
    expected: { rating: 4.5 },
  },
  {
    task: 'the guest has oat milk as a special wish',
    properties: { special: 'string' },
    required: [],
    expected: { special: 'milk' },
  },
  {
    task: 'departing on the 12th of March 2023 at 3 in the afternoon',
    properties: { departure_time: described('string', "in the format 'dd/mm/yyyy HH:MM'") },
    expected: { departure_time: '12/03/2023 15:00' },
  },
  {
    task: 'today is Monday 2022-10-20, move it to this Thursday',
    properties: { date: 'string' },
    expected: { date: '2022-10-23' },
  },
  {
    task: 'order five burgers and six chicken wings from the diner',
    properties: {
      items: { type: 'array', items: { type: 'string' }, description: 'names of the food items' },
      quantities: { type: 'array', items: { type: 'integer' }, description: 'how many of each' },
    },
    expected: { items: ['burger', 'chicken wing'], quantities: [5, 6] },
  },
]);

check('codes on offer', [
  {
    task: 'sha512 of "open sesame"',
    properties: { text: 'string', algorithm: { type: 'string', enum: ['sha256', 'sha512'] } },
    required: ['text'],
    expected: { text: 'open sesame', algorithm: 'sha512' },
  },
  {
    task: 'compute the sha512 please',
    properties: { text: 'string', algorithm: { type: 'string', enum: ['sha256', 'sha512'] } },
    expected: { algorithm: 'sha512' },
  },
]);

check('texts by their description', [
  {
    task: 'look at notes/todo.txt',
    properties: { before: described('string', 'The first text.'), after: described('string', 'The other text.') },
    required: ['before'],
    expected: {},
  },
  {
    task: 'compare "a b c" with "a b d"',
    properties: { before: described('string', 'The first text.'), after: described('string', 'The other text.') },
    expected: { before: 'a b c', after: 'a b d' },
  },
]);

const compounding = {
  principal: described('number', 'The amount that is invested'),
  compounds_per_year: described('integer', 'The number of times that interest is compounded per year'),
};

check('how often', [
  {
    task: 'what do 5000 dollars become, compounded quarterly',
    properties: compounding,
    expected: { principal: 5000, compounds_per_year: 4 },
  },
  {
    task: 'the future value of 800 with monthly compounding',
    properties: compounding,
    expected: { principal: 800, compounds_per_year: 12 },
  },
  {
    task: 'the monthly value of 800',
    properties: compounding,
    required: ['principal'],
    expected: { principal: 800 },
  },
]);

check('short forms and names of two words', [
  {
    task: 'blow with a medium strength',
    properties: { strength: { type: 'string', enum: ['LOW', 'HIGH', 'MID'] } },
    expected: { strength: 'MID' },
  },
  {
    task: 'list the notes of the C sharp major scale',
    properties: { key: described('string', 'The musical key of the scale') },
    expected: { key: 'C sharp' },
  },
]);
