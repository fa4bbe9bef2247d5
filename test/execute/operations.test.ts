import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { localRuns } from '../../functions/compose/local-runs.ts';
import { memoryBlobs } from '../../shared/adapters/memory/blobs.ts';
import { memoryTable } from '../../shared/adapters/memory/table.ts';
import { nodeGauge } from '../../shared/adapters/node/gauge.ts';
import { sha256 } from '../../shared/kernel/canonical-json.ts';
import { imageBlobKey } from '../../shared/kernel/item-keys.ts';
import type { CallRecord } from '../../shared/model/call-record.ts';
import { testAssay } from '../support/assay.ts';
import { goldenImage, testEngine, testIqa } from '../support/iqa.ts';
import { aTool } from '../support/tools.ts';

const prices = { operations: { decide: 200, run: 500 }, tools: {}, cached_share: 0.1 };
const { bytes } = goldenImage('chelsea.png');
const base64 = { base64: Buffer.from(bytes).toString('base64') };

describe('scoring, deciding and running a plan are recorded as calls', () => {
  const engine = testEngine();
  after(() => engine.close());

  const shop = async () => {
    const table = memoryTable();
    const blobs = memoryBlobs();
    const server = await testAssay({
      table,
      blobs,
      prices,
      gauge: nodeGauge(),
      iqa: testIqa({ engine, table, blobs }),
      startRuns: (context) => localRuns(context, blobs),
    });
    const records = async (tool: string) => {
      const { body } = await server.json<{ executions: CallRecord[] }>('GET', `/v1/executions?tool=${tool}`);
      return body.executions;
    };
    return { ...server, blobs, records };
  };

  test('a score is recorded with its arguments, CPU time and result; pictures by their digest', async () => {
    const { json, records } = await shop();

    await json('POST', '/v1/score', { image: base64, tools: ['entropy'] });

    const [record] = await records('score');
    assert.deepEqual(record?.arguments, { image: { sha256: sha256(bytes), bytes: bytes.length }, tools: ['entropy'] });
    assert.equal(record?.status, 'ok');
    assert.ok((record?.cpu_ms ?? 0) > 0);
    assert.match(JSON.stringify(record?.output), /"tool":"entropy","raw":\d/);
    assert.equal(record?.charged_micros, 50);
  });

  test('the record of a score names a stored picture by its key as well', async () => {
    const { json, records, blobs } = await shop();
    await blobs.put(imageBlobKey('default', 'a.png'), bytes);

    await json('POST', '/v1/score', { image: { key: 'a.png' }, tools: ['entropy'] });

    const [record] = await records('score');
    assert.match(JSON.stringify(record?.arguments), /"key":"a.png"/);
  });

  test('a score that fails is recorded with its error and not charged', async () => {
    const { json, records } = await shop();

    const text = { base64: Buffer.from('no picture').toString('base64') };
    const { status } = await json('POST', '/v1/score', { image: text, tools: ['entropy'] });

    const [record] = await records('score');
    assert.equal(status, 400);
    assert.deepEqual([record?.status, record?.error?.type, record?.charged_micros], ['failed', 'InvalidInput', 0]);
  });

  test('a score beyond the quota is recorded as refused', async () => {
    const { json, records, key } = await shop();
    const poor = await key({ scopes: ['invoke'], quota: { micros: 49 } });

    const { status } = await json('POST', '/v1/score', { image: base64, tools: ['entropy'] }, poor);

    const [record] = await records('score');
    assert.equal(status, 402);
    assert.deepEqual([record?.status, record?.error?.type], ['refused', 'PaymentRequired']);
  });

  test('a decision is recorded with its task, CPU time and choice, and charged', async () => {
    const { json, records } = await shop();
    await json('POST', '/v1/tools', aTool());

    await json('POST', '/v1/decide', { task: 'What is the weather in Bern?' });

    const [record] = await records('decide');
    assert.deepEqual(record?.arguments, { task: 'What is the weather in Bern?' });
    assert.match(JSON.stringify(record?.output), /"tool":"weather_lookup"/);
    assert.ok((record?.cpu_ms ?? 0) > 0);
    assert.equal(record?.charged_micros, 200);
  });

  test('starting a run is recorded with its plan and input; a refused start is not charged', async () => {
    const { json, records } = await shop();

    assert.equal((await json('POST', '/v1/plans/none/runs', { input: { a: 1 } })).status, 404);

    const [record] = await records('run');
    assert.deepEqual(record?.arguments, { plan_id: 'none', input: { a: 1 } });
    assert.deepEqual([record?.status, record?.error?.type, record?.charged_micros], ['failed', 'NotFound', 0]);
  });

  test('a tenant’s disabled tool named score does not stop scoring', async () => {
    const { json } = await shop();
    const definition = { name: 'score', description: 'Mine.', type: 'function', handler: 'x', parameters: {} };
    await json('POST', '/v1/tools', { ...definition, implementation: { type: 'mock', mock_response: 1 } });
    await json('PATCH', '/v1/tools/score', { enabled: false });

    assert.equal((await json('POST', '/v1/score', { image: base64, tools: ['entropy'] })).status, 200);
  });

  test('a key confined to some tools scores with only those', async () => {
    const { json, key } = await shop();
    const confined = await key({ scopes: ['invoke'], tools: ['entropy'] });
    interface Scores {
      readonly scores: readonly { readonly tool: string; readonly error?: { readonly code: string } }[];
    }

    const named = await json<Scores>('POST', '/v1/score', { image: base64, tools: ['entropy', 'niqe'] }, confined);
    assert.deepEqual(
      named.body.scores.map(({ tool, error }) => error?.code ?? tool),
      ['entropy', 'NotFound'],
    );
    const other = await json('POST', '/v1/score', { image: base64, tools: ['niqe'] }, confined);
    assert.equal(other.status, 404);
  });
});
