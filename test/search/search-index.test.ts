import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Tool } from '../../shared/model/tool.ts';
import { createSearchIndex, type SearchIndex } from '../../shared/search/search-index.ts';
import { splitIdentifier, termsOf } from '../../shared/search/text.ts';
import { tries } from '../support/sampling.ts';

const aTool = (name: string, description = '', more: Partial<Tool> = {}): Tool => ({
  name,
  type: 'function',
  description,
  tags: [],
  parameters: { type: 'object', properties: {} },
  ...more,
});

const indexOf = (...tools: readonly Tool[]): SearchIndex => {
  const index = createSearchIndex();
  for (const tool of tools) index.set(tool);
  return index;
};

const names = (index: SearchIndex, query: string, limit?: number): readonly string[] =>
  index.search(query, limit === undefined ? {} : { limit }).map((hit) => hit.name);

describe('search terms of a text', () => {
  test('identifiers are split at case, underscore, dot and dash', () => {
    assert.deepEqual(splitIdentifier('getHTTPStatus_code.v2-fast'), ['get', 'http', 'status', 'code', 'v2', 'fast']);
    assert.deepEqual(splitIdentifier('listUserIDs'), ['list', 'user', 'ids']);
  });

  test('English is stemmed, stop words are removed, accents are ignored', () => {
    assert.deepEqual(termsOf('Please convert the converted Cafés'), ['convert', 'convert', 'cafe']);
  });

  test('Chinese is split into bigrams, beside Latin words', () => {
    assert.deepEqual(termsOf('查询天气PDF文件'), ['查询', '询天', '天气', 'pdf', '文件']);
  });
});

describe('search', () => {
  const weather = aTool('get_weather', 'Current weather for a city', {
    tags: ['forecast'],
    parameters: { type: 'object', properties: { unit: { enum: ['celsius', 'fahrenheit'] } } },
  });
  const email = aTool('sendEmail', 'Sends a message to a recipient', { category: 'communication' });
  const translate = aTool('translate', '把文本翻译成另一种语言');
  const index = indexOf(weather, email, translate);

  test('R4.09d search finds tools by name, description, tag, category, enum value and Chinese text', () => {
    assert.deepEqual(names(index, 'emails'), ['sendEmail']);
    assert.deepEqual(names(index, 'messages'), ['sendEmail']);
    assert.deepEqual(names(index, 'forecasts'), ['get_weather']);
    assert.deepEqual(names(index, 'communication'), ['sendEmail']);
    assert.deepEqual(names(index, 'celsius'), ['get_weather']);
    assert.deepEqual(names(index, '请帮我翻译一段话'), ['translate']);
    assert.deepEqual(names(index, 'zebra'), []);
    assert.deepEqual(names(index, ''), []);
  });

  test('a match in the name ranks above one in the description', () => {
    const index = indexOf(
      aTool('report', 'makes an invoice from orders'),
      aTool('invoice', 'makes a report of orders'),
    );

    assert.deepEqual(names(index, 'invoice'), ['invoice', 'report']);
  });

  test('X.11 generic words find nothing, alone or together', () => {
    const tools = indexOf(aTool('remove_file', 'Deletes one file for good, really quickly'), weather, email);
    for (const query of ['good', 'for good', 'really quickly', 'a good thing'])
      assert.deepEqual(names(tools, query), []);
    assert.deepEqual(names(tools, 'delete it for good'), ['remove_file']);
  });

  test('X.11 asking how good a picture is finds image-quality tools, those of the named kind first', () => {
    const judge = (name: string, type: 'FR' | 'NR', tags: readonly string[] = []): Tool =>
      aTool(name, 'Image quality', { tags: ['image', 'quality', 'iqa', ...tags], iqa: { type, strengths: ['Noise'] } });
    const tools = indexOf(judge('pair', 'FR'), judge('bits', 'NR', ['information']), judge('lone', 'NR'), weather);

    assert.deepEqual(names(tools, 'how good is cat.jpg?'), ['lone', 'bits', 'pair']);
    assert.deepEqual(names(tools, 'how good is cat.jpg beside dog.jpg?')[0], 'pair');
    assert.deepEqual(names(tools, 'the information in cat.jpg, how good is it?')[0], 'bits');
  });

  test('limit keeps the best results and accept filters them', () => {
    const many = indexOf(
      ...Array.from({ length: 40 }, (_, at) => aTool(`copy_${String(at).padStart(2, '0')}`, 'copy')),
    );

    assert.deepEqual(names(many, 'copy', 3), ['copy_00', 'copy_01', 'copy_02']);
    assert.deepEqual(
      many.search('copy', { limit: 2, accept: (name) => name > 'copy_20' }).map((hit) => hit.name),
      ['copy_21', 'copy_22'],
    );
    assert.deepEqual(many.search('copy', { limit: 3 }), many.search('copy').slice(0, 3));
    assert.deepEqual(many.search('copy', { limit: 0 }), []);
  });

  test('among many tools frequent words still rank those that have the rare word', () => {
    const common = 'harbour';
    const vast = [
      ...Array.from({ length: 17_000 }, (_, at) => aTool(`tool_${at}`, common)),
      ...Array.from({ length: 60 }, (_, at) =>
        aTool(`rare_${at}`, at % 2 === 0 ? 'quokka census people' : 'quokka census harbour'),
      ),
    ];
    const query = termsOf(`quokka ${common}`).map((term) => ({ term, weight: 1 }));
    const [one, other] = [indexOf(...vast), indexOf(...vast.toReversed())];

    const found = one.rank(query, { limit: 40 });
    assert.ok(found.slice(0, 30).every(({ name }) => Number(name.slice('rare_'.length)) % 2 === 1));
    assert.ok(found.slice(30).every(({ name }) => Number(name.slice('rare_'.length)) % 2 === 0));
    assert.deepEqual(other.rank(query, { limit: 40 }), found);
    assert.deepEqual(one.rank(query, { limit: 5 }), found.slice(0, 5));
    // Where the rare word finds too few, the common ones find the rest.
    assert.equal(one.rank(query, { limit: 40, accept: (name) => name.startsWith('tool_') }).length, 40);
  });

  test('words such as __proto__ and constructor are ordinary search terms', () => {
    const odd = indexOf(aTool('constructor', '__proto__ toString'), aTool('plain', 'nothing'));

    assert.deepEqual(names(odd, '__proto__ constructor hasOwnProperty'), ['constructor']);
    odd.remove('__proto__');
    odd.remove('constructor');
    assert.deepEqual(names(odd, 'constructor toString'), []);
  });

  test('replacing a tool removes its old words from the index', () => {
    const index = indexOf(aTool('box', 'apples'), aTool('jar', 'pears'));

    index.set(aTool('box', 'plums'));

    assert.deepEqual(names(index, 'apples'), []);
    assert.deepEqual(names(index, 'plums'), ['box']);
    assert.equal(index.size, 2);
  });

  test('a query of a megabyte costs no more than a long one', () => {
    const hits = index.search(`weather ${'word '.repeat(200_000)}`);

    assert.equal(hits[0]?.name, 'get_weather');
    assert.deepEqual(hits, index.search(`weather ${'word '.repeat(20_000)}`));
  });
});

describe('an index after many changes', () => {
  const word = fc.constantFrom('file', 'mail', 'photo', 'price', 'city', '图片', '文件');
  const tool = fc.record({
    name: fc.constantFrom(...Array.from({ length: 30 }, (_, at) => `tool${at}`)),
    words: fc.array(word, { maxLength: 6 }),
    keep: fc.boolean(),
  });

  test('an index after any changes answers exactly as one built anew', () => {
    fc.assert(
      fc.property(
        fc.array(tool, { maxLength: 400, size: 'max' }),
        fc.array(word, { minLength: 1, maxLength: 4 }),
        (steps, query) => {
          const lived = createSearchIndex();
          const left = new Map<string, Tool>();
          for (const step of steps) {
            const made = aTool(step.name, step.words.join(' '));
            if (step.keep) lived.set(made);
            else lived.remove(step.name);
            if (step.keep) left.set(step.name, made);
            else left.delete(step.name);
          }

          const fresh = indexOf(...[...left.values()].reverse());

          assert.equal(lived.size, left.size);
          assert.deepEqual(lived.search(query.join(' ')), fresh.search(query.join(' ')));
          assert.equal(lived.rarity('file'), fresh.rarity('file'));
        },
      ),
      { numRuns: tries(20, 60) },
    );
  });
});
