import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { UpdateTableCommand } from '@aws-sdk/client-dynamodb';
import { createTable } from '../../shared/adapters/aws/create-table.ts';
import { dynamoTable } from '../../shared/adapters/aws/dynamo-table.ts';
import type { JsonCall } from '../../shared/adapters/aws/json-service.ts';
import { callFolds } from '../../shared/execute/billing/usage.ts';
import { foldStream, type StreamChange } from '../../shared/execute/fold-stream.ts';
import { createBlockedTools } from '../../shared/insight/blocked-tools.ts';
import { readAllStats } from '../../shared/insight/read-stats.ts';
import { callKey } from '../../shared/kernel/item-keys.ts';
import type { Table } from '../../shared/kernel/ports.ts';
import { type LocalDynamo, localCalls, localClient, startDynamo, whyNoDynamo } from '../support/dynamo.ts';
import { aRecord } from '../support/records.ts';
import { printTable } from './report.ts';

const LATENCY_MS = 6;
const BATCH = 1000;
/** The connection limit of shared/adapters/aws/send-text.ts. */
const CONNECTIONS = 50;
const START = Date.parse('2026-11-05T12:00:00.000Z');

interface Load {
  readonly tenants: number;
  readonly tools: number;
  readonly shards: number;
  readonly calls: number;
  readonly latencyMs?: number;
}

/**
 * A latency so long that this machine, which folds all shards and hosts the table, is mostly idle even with the most
 * shards: if throughput then grows less than the number of shards, the fold is the cause.
 */
const SLOW_MS = 2500;
const SHARDS = [1, 2, 4, 8, 16] as const;
/** The number of batches per shard. */
const SLOW_BATCHES = 3;

/**
 * Throughput and cost of folding the stream, on the npm DynamoDB with 6 ms added to every request; `wide` tries only a
 * thousand tenants or tools.
 */
export const bench = async (args: readonly string[]): Promise<void> => {
  const why = whyNoDynamo();
  if (why) throw new Error(why);
  const dynamo = await startDynamo();
  try {
    const one = { tenants: 1, tools: 1 } as const;
    const many = { tenants: 50, tools: 10 } as const;
    const loads: readonly Load[] = [
      { ...one, shards: 1, calls: 20_000 },
      { ...one, shards: 4, calls: 40_000 },
      { ...one, shards: 16, calls: 64_000 },
      { ...many, shards: 1, calls: 10_000 },
      { ...many, shards: 4, calls: 20_000 },
      { ...many, shards: 16, calls: 32_000 },
      { tenants: 1000, tools: 1, shards: 4, calls: 8000 },
      { tenants: 1, tools: 1000, shards: 4, calls: 8000 },
    ];
    if (args[0] === 'shards') return await printShards(dynamo, many);
    const areWide = args[0] === 'wide';
    const most = Number((areWide ? undefined : args[0]) ?? Number.POSITIVE_INFINITY);
    const chosen = areWide ? loads.filter(({ tenants, tools }) => Math.max(tenants, tools) === 1000) : loads;
    for (const load of chosen.map((each) => ({ ...each, calls: Math.min(each.calls, most) })))
      console.log(JSON.stringify((await measure(dynamo, load)).row));
    console.log(
      `${BATCH} calls a batch, ${LATENCY_MS} ms added to every request. A shard's first batch opens its items and is timed apart. One process folds all shards, on AWS each has its own: there a shard folds what its processor does and two round trips a batch allow, and shards add up. "server allows" is what the local DynamoDB could take with one processor of its own, and no property of the fold. Before: 475 calls/s with one shard, 363 with sixteen, 125 over 50 tenants x 10 tools.`,
    );
    if (!areWide) await printShards(dynamo, many);
  } finally {
    await dynamo.stop();
  }
};

/** Whether throughput scales with shards. Conflicts between shards would repeat writes: more requests and CPU time. */
const printShards = async (dynamo: LocalDynamo, many: Pick<Load, 'tenants' | 'tools'>): Promise<void> => {
  const rows: Measured[] = [];
  for (const shards of SHARDS) {
    const calls = SLOW_BATCHES * BATCH * shards;
    rows.push(await measure(dynamo, { ...many, shards, calls, latencyMs: SLOW_MS }));
  }
  console.log(`\nShards, with ${SLOW_MS} ms added to every request:`);
  printTable(
    rows.map(({ row, perSecond, busy, processorMs }) => ({
      shards: row.shards,
      'calls/s': Math.round(perSecond),
      'of as many as one shard': (perSecond / row.shards / (rows[0]?.perSecond ?? perSecond)).toFixed(2),
      'requests a call': row['requests a call'],
      'write units a call': row['write units a call'],
      'processor ms a call': processorMs.toFixed(3),
      'processor busy': `${Math.round(100 * busy)} %`,
    })),
  );
};

interface Row {
  readonly shards: number;
  readonly 'requests a call': number;
  readonly 'write units a call': number;
}

interface Measured {
  readonly row: Row;
  /** The sum over all shards, each by its own time. */
  readonly perSecond: number;
  /** CPU time of this process, and its share of the elapsed time. */
  readonly processorMs: number;
  readonly busy: number;
}

const measure = async (dynamo: LocalDynamo, { tenants, tools, shards, calls, latencyMs = LATENCY_MS }: Load) => {
  const client = localClient(dynamo.endpoint);
  const tableName = `assay-${randomUUID()}`;
  await createTable(client, tableName);
  // The bench makes the batches itself, and each record in a stream would slow down the local server's writes.
  await client.send(new UpdateTableCommand({ TableName: tableName, StreamSpecification: { StreamEnabled: false } }));
  let [units, requests] = [0, 0];
  const own = localCalls(dynamo.endpoint);
  const call: JsonCall = async (operation, input) => {
    requests++;
    await pause(latencyMs);
    return own(operation, input);
  };
  const openTable = (): Table =>
    dynamoTable({ call, tableName, onCapacity: (spent) => (units += spent), gathersReads: true });
  const table = openTable();
  const clock = { now: () => START };
  // Each shard has its own table client, as it has its own function: they share only the server.
  const contexts = Array.from({ length: shards }, () => {
    const own = openTable();
    return { table: own, clock, folds: callFolds, blocked: createBlockedTools(own, clock) };
  });
  const perShard = Math.ceil(calls / shards / BATCH) * BATCH;
  const rates: number[] = [];
  const foldAll = async (from: number, to: number): Promise<number> => {
    const slowest = contexts.map(async (context, shard) => {
      // With long latencies the shards start one after another, as real ones do, which spares the local server bursts.
      if (latencyMs === SLOW_MS) await pause((2 * SLOW_MS * shard) / shards);
      const started = performance.now();
      let longest = 0;
      for (let at = from; at < to; at += BATCH) {
        const batch = Array.from({ length: BATCH }, (__, n) => change(shard, at + n, tenants, tools));
        const begun = performance.now();
        await foldStream(context, batch, `shard-${shard}`);
        longest = Math.max(longest, performance.now() - begun);
      }
      rates[shard] = (to - from) / ((performance.now() - started) / 1000);
      return longest;
    });
    return Math.max(...(await Promise.all(slowest)));
  };
  const first = await foldAll(0, BATCH);
  [units, requests] = [0, 0];
  const [started, processor, server] = [performance.now(), process.cpuUsage(), dynamo.processorMs()];
  const slowest = await foldAll(BATCH, BATCH + perShard);
  const seconds = (performance.now() - started) / 1000;
  const { user, system } = process.cpuUsage(processor);
  const serverMs = dynamo.processorMs() - server;
  const [unitsSpent, requestsSent] = [units, requests];
  const stats = (await Promise.all(Array.from({ length: tenants }, (_, n) => readAllStats(table, `t${n}`)))).flat();
  const counted = stats.reduce((sum, each) => sum + each.calls, 0);
  if (counted !== (BATCH + perShard) * shards)
    throw new Error(`${counted} calls of ${(BATCH + perShard) * shards} were folded`);
  client.destroy();
  const folded = perShard * shards;
  // A batch reads, writes, and waits for connections if it has more requests than connections.
  const turns = 2 + Math.floor(((requestsSent / folded) * BATCH) / CONNECTIONS);
  const waitSeconds = (turns * latencyMs) / 1000;
  const processorSeconds = (user + system) / 1e6;
  const row = {
    tenants,
    'tools each': tools,
    shards,
    'calls/s': Math.round(folded / seconds),
    'one processor folds calls/s': Math.round(folded / processorSeconds),
    'a shard of its own folds calls/s': Math.round(BATCH / ((processorSeconds / folded) * BATCH + waitSeconds)),
    'server allows calls/s': serverMs < 100 ? 'too quick to tell' : Math.round((folded / serverMs) * 1000),
    'requests a call': Number((requestsSent / folded).toFixed(4)),
    'slowest batch ms': Math.round(slowest),
    'first batch ms': Math.round(first),
    'write units a call': Number((unitsSpent / folded).toFixed(3)),
  };
  return {
    row,
    perSecond: rates.reduce((sum, rate) => sum + rate, 0),
    processorMs: (1000 * processorSeconds) / folded,
    busy: processorSeconds / seconds,
  };
};

const change = (shard: number, n: number, tenants: number, tools: number): StreamChange => {
  const id = `01JBXQ${String(shard).padStart(4, '0')}${String(n).padStart(16, '0')}`;
  const at = new Date(START + n).toISOString();
  const record = aRecord({
    call_id: id,
    at,
    tool: `tool_${Math.floor(n / tenants) % tools}`,
    status: 'ok',
    duration_ms: 5 + ((n * 7919) % 1000) / 50,
    key: 'key1',
    charged_micros: 100,
  });
  const key = callKey(`t${n % tenants}`, id);
  return {
    eventId: id,
    sequence: String(10_000_000 + n),
    key,
    after: { key, revision: 1, body: { v: 1, ...record } },
    isExpiry: false,
  };
};
