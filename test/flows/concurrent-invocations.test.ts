import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { handleStream } from '../../functions/stream/handle.ts';
import { dynamoTable } from '../../shared/adapters/aws/dynamo-table.ts';
import { systemClock } from '../../shared/adapters/system-clock.ts';
import { callFolds } from '../../shared/execute/billing/usage.ts';
import type { StatsView } from '../../shared/insight/stats-view.ts';
import type { Outcome } from '../../shared/model/call.ts';
import type { CallRecord } from '../../shared/model/call-record.ts';
import type { TableAddress } from '../contract/table.ts';
import type { TestAssay } from '../support/assay.ts';
import { type LocalDynamo, localCalls, startDynamo, whyNoDynamo } from '../support/dynamo.ts';
import { invokeElsewhere, workingAssay } from '../support/invoking-client.ts';
import { tries } from '../support/sampling.ts';
import { readStream } from '../support/stream-records.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const PROCESSES = tries(2, 4);
const CALLS = 50;
const TOTAL = PROCESSES * CALLS;

const invokeAll = async (address: TableAddress): Promise<readonly Outcome[]> =>
  (await Promise.all(Array.from({ length: PROCESSES }, () => invokeElsewhere({ address, calls: CALLS })))).flat();

const checkRecords = async ({ json }: TestAssay, outcomes: readonly Outcome[]): Promise<void> => {
  const { body } = await json<{ executions: CallRecord[] }>('GET', '/v1/executions?limit=1000');
  const recorded = new Map(body.executions.map((record) => [record.call_id, record]));
  assert.equal(outcomes.length, TOTAL);
  assert.equal(recorded.size, outcomes.length);
  for (const outcome of outcomes) {
    const record = recorded.get(outcome.call_id);
    assert.equal(record?.status, outcome.status);
    assert.equal(record?.duration_ms, outcome.duration_ms);
  }
};

const checkStats = async ({ json }: TestAssay, outcomes: readonly Outcome[]): Promise<void> => {
  const { body } = await json<StatsView>('GET', '/v1/tools/tally/stats');
  const total = outcomes.reduce((sum, { duration_ms: ms }) => sum + Math.round(ms * 1000), 0) / 1000;
  assert.deepEqual(
    [body.calls, body.successes, body.failures, body.failures_by_type, body.total_ms],
    [TOTAL, TOTAL * 0.8, TOTAL * 0.2, { RangeError: TOTAL * 0.2 }, total],
  );
};

describe('concurrent invocations of several processes', () => {
  test('R1.15 R1.24 calls of several processes on one SQLite file each have a record, and statistics add up exactly', async (t) => {
    const address = { kind: 'sqlite', path: join(await temporaryDirectory(t), 'assay.db') } as const;

    const outcomes = await invokeAll(address);

    const reader = await workingAssay(address);
    t.after(() => reader.assay.close());
    await checkRecords(reader, outcomes);
    await checkStats(reader, outcomes);
  });

  test('R1.15 R1.24 C.02 calls on DynamoDB each have a record, and statistics add up however often the stream repeats', {
    skip: whyNoDynamo() ?? false,
  }, async (t) => {
    const dynamo = await startDynamo();
    t.after(() => dynamo.stop());
    const address = { kind: 'dynamo', endpoint: dynamo.endpoint, tableName: dynamo.tableName } as const;

    const outcomes = await invokeAll(address);
    await foldRepeatedly(dynamo);

    const reader = await workingAssay(address);
    await checkRecords(reader, outcomes);
    await checkStats(reader, outcomes);
  });
});

/** Folds the stream as Lambda might: in batches that overlap, twice over, and two of them at the same time. */
const foldRepeatedly = async (dynamo: LocalDynamo): Promise<void> => {
  const table = dynamoTable({ call: localCalls(dynamo.endpoint), tableName: dynamo.tableName, gathersReads: true });
  const deps = { fold: { table, clock: systemClock(), folds: callFolds } };
  for (const { Records, shardId } of await readStream(dynamo)) {
    for (let start = 0; start < Records.length; start += 60) {
      const event = { Records: Records.slice(start, start + 90), shardId };
      const answers = await Promise.all([handleStream(deps, event), handleStream(deps, event)]);
      assert.deepEqual(answers[0], { state: {}, batchItemFailures: [] });
    }
    await handleStream(deps, { Records, shardId });
  }
};
