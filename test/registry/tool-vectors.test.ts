import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { memoryTable } from '../../shared/adapters/memory/table.ts';
import { vectorsPk } from '../../shared/kernel/item-keys.ts';
import type { Key, Log, PageQuery, Table } from '../../shared/kernel/ports.ts';
import type { Tool } from '../../shared/model/tool.ts';
import { createToolVectors } from '../../shared/registry/tool-vectors.ts';
import { createSearchIndex } from '../../shared/search/search-index.ts';
import type { SentenceEncoder } from '../../shared/search/sentence-encoder.ts';

const silent: Log = { info() {}, warn() {}, error() {} };

/** Directions by subject, and a list of what was encoded. */
const stubEncoder = (id: string) => {
  const encoded: string[] = [];
  const vectorOf = (text: string): Float32Array =>
    Float32Array.of(/qorl|weather|rain/.test(text) ? 1 : 0, /file|disk/.test(text) ? 1 : 0, 0.1);
  const encoder: SentenceEncoder = {
    id,
    encodeRequest: async (text) => vectorOf(text),
    async encodeTool(text) {
      encoded.push(text);
      return vectorOf(text);
    },
    close: async () => {},
  };
  return { encoder, encoded };
};

const aTool = (name: string, description: string): Tool => ({
  name,
  description,
  type: 'function',
  tags: [],
  parameters: { type: 'object', properties: {} },
});

const follow = async (
  table: Table,
  encoder: SentenceEncoder,
  tools: Map<string, Tool>,
  { tenant = 'one', log = silent } = {},
) => {
  const index = createSearchIndex();
  for (const tool of tools.values()) index.set(tool);
  const create = createToolVectors({ table, clock: { now: () => 0 }, log, encoder });
  const vectors = create(tenant, index, (name) => tools.get(name));
  vectors.follow(tools.keys());
  await vectors.settled();
  return { index, vectors };
};

const catalogue = (...pairs: readonly (readonly [string, string])[]) =>
  new Map(pairs.map(([name, description]) => [name, aTool(name, description)]));

describe('tool vectors', () => {
  test('tool vectors are encoded once per text, stored by digest, and found by another process', async () => {
    const table = memoryTable({ now: () => 0 });
    const tools = catalogue(['umbrella', 'Tells about rain'], ['shredder', 'Removes a file']);
    const first = stubEncoder('stored');
    await follow(table, first.encoder, tools);
    assert.deepEqual(first.encoded, ['umbrella: Tells about rain', 'shredder: Removes a file']);
    assert.equal((await table.query(vectorsPk('one', 'stored'))).items.length, 2);

    const { index } = await follow(table, stubEncoder('stored').encoder, tools);
    assert.equal(index.vectors.size, 2);
  });

  test('a changed tool is encoded again, and until then has no vector', async () => {
    const table = memoryTable({ now: () => 0 });
    const tools = catalogue(['umbrella', 'Tells about rain']);
    const { encoder, encoded } = stubEncoder('changed');
    const { index, vectors } = await follow(table, encoder, tools);
    const next = aTool('umbrella', 'Removes a file');
    tools.set('umbrella', next);
    index.set(next);
    assert.equal(index.vectors.has('umbrella'), false);
    vectors.follow(['umbrella']);
    await vectors.settled();
    assert.equal(index.vectors.has('umbrella'), true);
    assert.equal(encoded.at(-1), 'umbrella: Removes a file');
  });

  test('a changed tool does not read the vectors of all earlier texts, and many tools read them in pages', async () => {
    const table = memoryTable({ now: () => 0 });
    const { query, get } = table;
    let read = 0;
    Object.assign(table, {
      get: (key: Key) => {
        read++;
        return get(key);
      },
      async query(pk: string, options: PageQuery) {
        const page = await query(pk, options);
        read += page.items.length;
        return page;
      },
    });
    const tools = catalogue(['umbrella', 'Tells about rain']);
    const { encoder } = stubEncoder('often');
    const { index, vectors } = await follow(table, encoder, tools);
    for (let change = 0; change < 100; change++) {
      tools.set('umbrella', aTool('umbrella', `Tells about rain ${change}`));
      index.set(tools.get('umbrella') as Tool);
      vectors.follow(['umbrella']);
      await vectors.settled();
    }
    assert.ok(read <= 102, `${read} items read for 101 texts`);

    read = 0;
    const many = catalogue(...Array.from({ length: 150 }, (_, n) => [`tool_${n}`, `Removes file ${n}`] as const));
    await follow(table, encoder, many);
    assert.equal(read, 101, 'those stored, once');
  });

  test('each tenant stores its own vectors', async () => {
    const table = memoryTable({ now: () => 0 });
    const { encoder } = stubEncoder('tenants');
    await follow(table, encoder, catalogue(['umbrella', 'Tells about rain']), { tenant: 'two' });
    assert.equal((await table.query(vectorsPk('one', 'tenants'))).items.length, 0);
    assert.equal((await table.query(vectorsPk('two', 'tenants'))).items.length, 1);
  });

  test('X.11 a failing encoder is logged, and the index works without vectors', async () => {
    const warnings: string[] = [];
    const encoder: SentenceEncoder = {
      ...stubEncoder('failing').encoder,
      encodeTool: () => Promise.reject(new Error('no model here')),
    };
    const log = { ...silent, warn: (message: string) => warnings.push(message) };
    const { index } = await follow(memoryTable(), encoder, catalogue(['umbrella', 'Tells about rain']), { log });
    assert.equal(index.vectors.size, 0);
    assert.equal(warnings.length, 1);
    assert.deepEqual(
      index.search('rain').map(({ name }) => name),
      ['umbrella'],
    );
  });

  test('an encoder that is closed with its process is no failure: nothing is logged, and no more is asked of it', async () => {
    const warnings: string[] = [];
    let [asked, isClosing] = [0, false];
    const encoder: SentenceEncoder = {
      ...stubEncoder('closing').encoder,
      encodeTool: () => {
        asked++;
        isClosing = true;
        return Promise.reject(new Error('closing'));
      },
    };
    const log = { ...silent, warn: (message: string) => warnings.push(message) };
    const tools = catalogue(['umbrella', 'Tells about rain'], ['shredder', 'Removes a file']);
    const create = createToolVectors({
      table: memoryTable(),
      clock: { now: () => 0 },
      log,
      encoder,
      isClosing: () => isClosing,
    });
    const vectors = create('one', createSearchIndex(), (name) => tools.get(name));
    vectors.follow(tools.keys());
    await vectors.settled();
    vectors.follow(tools.keys());
    await vectors.settled();
    assert.deepEqual([asked, warnings], [1, []]);
  });

  test('X.11 a request finds the tool with a similar vector though they share no word', async () => {
    const { encoder } = stubEncoder('near');
    const tools = catalogue(['umbrella', 'Tells about rain'], ['shredder', 'Removes a file']);
    const { index } = await follow(memoryTable(), encoder, tools);
    const query = 'qorl';
    assert.deepEqual(index.search(query), []);
    const vectors = await index.encode(query, encoder.encodeRequest);
    assert.deepEqual(
      index.search(query, { vectors }).map(({ name }) => name),
      ['umbrella'],
    );
  });

  test('X.11 of a long request the most similar sentence counts, and Chinese is not encoded', async () => {
    const { encoder } = stubEncoder('sentences');
    const tools = catalogue(['umbrella', 'Tells about rain'], ['shredder', 'Removes a file']);
    const { index } = await follow(memoryTable(), encoder, tools);
    const long = `${'Nobody answers here. '.repeat(30)}Will it qorl? ${'Nobody answers here. '.repeat(30)}`;
    const vectors = await index.encode(
      `${long} Or will it rather qorl tomorrow, in the evening?`,
      encoder.encodeRequest,
    );
    assert.equal(vectors?.length, 3);
    assert.deepEqual(
      index.search('qorl', { vectors }).map(({ name }) => name),
      ['umbrella'],
    );
    assert.equal(await index.encode('明天下雨吗', encoder.encodeRequest), undefined);
  });

  test('while one candidate has no vector, vectors do not affect the ranking', async () => {
    const { encoder } = stubEncoder('partial');
    const tools = catalogue(['rain_report', 'Weather report'], ['file_report', 'File report']);
    const { index } = await follow(memoryTable(), encoder, tools);
    const vectors = await index.encode('qorl', encoder.encodeRequest);
    const words = index.search('report');
    assert.notDeepEqual(index.search('report', { vectors }), words);
    index.vectors.remove('file_report');
    assert.deepEqual(index.search('report', { vectors }), words);
  });
});
