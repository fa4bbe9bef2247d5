import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createKey } from '../../shared/access/api-keys.ts';
import { adminActor } from '../../shared/access/scopes.ts';
import { jsonLog } from '../../shared/adapters/files/json-log.ts';
import { sqliteTable } from '../../shared/adapters/sqlite/table.ts';
import { executeTool } from '../../shared/execute/execute.ts';
import type { Handler } from '../../shared/kernel/ports.ts';
import type { Actor } from '../../shared/model/key.ts';
import { testAssay } from '../support/assay.ts';
import { aTool } from '../support/tools.ts';
import { alternate, median, printRows } from './support/measure.ts';

const prices = { operations: {}, tools: {}, cached_share: 0.1 };
const handler: Handler = { permission: 'safe', run: async ({ city }) => ({ city }) };
const implementation = { type: 'builtin', handler: 'at_once' };

/** The overhead of metering per call on SQLite: the quota update, and a ledger row stored before the answer. */
export const bench = async (): Promise<void> => {
  const directory = await mkdtemp(join(tmpdir(), 'assay-bench-'));
  try {
    const free = await shop(join(directory, 'free.db'));
    const metered = await shop(join(directory, 'metered.db'), true);
    const times = await alternate(15, {
      free: () => medianOf(free.call),
      metered: () => medianOf(metered.call),
      refused: () => medianOf(() => metered.refused().catch(() => {})),
    });
    printRows('a call on SQLite, median', [
      ['without metering', milliseconds(times.free)],
      ['with a quota, charged and in the ledger before the answer', milliseconds(times.metered)],
      ['  added', milliseconds(times.metered - times.free), 'under 0.3 ms'],
      ['refused for a quota that is used up', milliseconds(times.refused)],
    ]);
    await free.close();
    await metered.close();
    if (times.metered - times.free >= 0.3) process.exitCode = 1;
  } finally {
    await rm(directory, { recursive: true });
  }
};

const shop = async (path: string, isMetered = false) => {
  const handlers = { builtin: new Map([['at_once', handler]]), internal: new Map() };
  const log = jsonLog(() => {});
  const { assay, json } = await testAssay({
    table: sqliteTable({ path }),
    handlers,
    log,
    ...(isMetered ? { prices } : {}),
  });
  await json('POST', '/v1/tools', aTool({ name: 'at_once', price_micros: 3, implementation }));
  const actorWith = async (calls: number): Promise<Actor> => {
    const key = await createKey(assay, adminActor(), { scopes: ['invoke'], quota: { calls } });
    return assay.authenticate(key.key);
  };
  const [rich, poor] = [await actorWith(1e9), await actorWith(1)];
  const call = (actor: Actor) => executeTool(assay, actor, { name: 'at_once', arguments: { city: 'Bern' } });
  await call(poor);
  return { call: () => call(rich), refused: () => call(poor), close: assay.close };
};

/** Makes calls one at a time, so that the median does not benefit from shared transactions. */
const medianOf = async (call: () => Promise<unknown>): Promise<number> => {
  const times: number[] = [];
  for (let count = 0; count < 200; count++) {
    const started = performance.now();
    await call();
    times.push(performance.now() - started);
  }
  return median(times);
};

const milliseconds = (ms: number): string => `${ms.toFixed(3)} ms`;
