import { readFile } from 'node:fs/promises';
import type { Verification } from '../../shared/execute/billing/verify-usage.ts';
import type { CallRecord } from '../../shared/model/call-record.ts';
import { hasScores } from './crash-clients.ts';
import { send, type World } from './crash-world.ts';
import { judge, printTable } from './report.ts';

/** Prints how many acknowledged operations are lost, stuck or charged wrongly. */
export const reportKills = async (world: World, kills: number): Promise<void> => {
  const once = await okRows(world, 'priced_once');
  const fees = await okRows(world, 'run');
  const noted = (await readFile(world.effects, 'utf8')).split('\n').filter(Boolean);
  const paidNotes = (await okRows(world, 'noting')).map(cityOf);
  const failed = [...(await okRows(world, 'broken'))];
  const before = await verifyMonths(world, 'GET');
  const after = await verifyMonths(world, 'POST');
  const differences = (of: readonly Verification[]) => of.flatMap(({ differences: found }) => found);
  const read = sumOf(before.map(({ rows }) => rows));

  const rows: Readonly<Record<string, readonly [number, number]>> = {
    'tools registered and lost': [world.tools.length, await count(world.tools, isThere(world, '/v1/tools/'))],
    'calls answered without a record': [
      world.calls.length + world.failures.length,
      await count([...world.calls, ...world.failures], isThere(world, '/v1/executions/')),
    ],
    'failures charged': [world.failures.length, failed.length],
    'idempotent calls charged twice': [world.keys.size, twice(once.map(cityOf))],
    'idempotent calls not charged': [world.keys.size, [...world.keys.values()].filter((id) => !has(once, id)).length],
    'effects repeated': [noted.length, twice(noted)],
    'effects without a charge, or charges without one': [
      world.effectKeys.length,
      twice(paidNotes) +
        paidNotes.filter((city) => !noted.includes(String(city))).length +
        world.effectKeys.filter((city) => !paidNotes.includes(city)).length,
    ],
    'runs that did not end': [world.runs.length, await count(world.runs, hasStatus(world, '/v1/runs/', 'ok'))],
    'runs without their fee': [world.runs.length, world.runs.filter((id) => !has(fees, id)).length],
    'nodes charged twice or not at all': [
      world.runs.length,
      Math.abs((await okRows(world, 'in_plan')).length - fees.length),
    ],
    'uploads left pending': [world.uploads.length, await count(world.uploads, isScored(world))],
    'inbox pictures without scores': [world.dropped.length, await count(world.dropped, hasScores)],
    'idempotency keys still running': [world.keys.size, world.stuck.length],
    'differences of usage or quota': [read, differences(before).length],
    'differences after settling': [read, differences(after).length],
  };
  console.log(`${kills} kills`);
  printTable(Object.entries(rows).map(([seen, [of, number]]) => ({ seen, of, count: number })));
  await explain(world);
  for (const { what, why, ledger, stored } of differences(before))
    console.log(`before settling: ${what}: ${why}: ${JSON.stringify({ ledger, stored })}`);
  judge(
    'nothing lost, stuck, unpaid or charged twice',
    Object.values(rows).every(([, number]) => number === 0),
  );
};

/** Prints the details of every violation. */
const explain = async (world: World): Promise<void> => {
  for (const key of world.uploads) {
    const { body } = await send(world, 'GET', `/v1/images/${key}/scores`);
    if (body.status !== 'scored') console.log(`upload ${key}: ${body.status} ${body.error?.message ?? ''}`);
  }
  for (const file of world.dropped)
    if (!(await hasScores(file)))
      console.log(`inbox ${file}: ${await readFile(`${file}.scores.json`, 'utf8').catch(String)}`);
  for (const id of world.runs) {
    const { body } = await send(world, 'GET', `/v1/runs/${id}`);
    if (body.status !== 'ok') console.log(`run ${id}: ${JSON.stringify(body)}`);
  }
  for (const line of world.stuck) console.log(`key ${line}`);
};

export const verifyMonths = async (world: World, method: 'GET' | 'POST'): Promise<readonly Verification[]> => {
  const found: Verification[] = [];
  for (const month of world.months())
    found.push((await send(world, method, `/v1/usage/verification?month=${month}`)).body);
  return found;
};

/** The number of items that fail the check. */
const count = async (items: readonly string[], isGood: (item: string) => Promise<boolean>): Promise<number> => {
  let found = 0;
  for (const item of items) if (!(await isGood(item))) found++;
  return found;
};

const isThere =
  (world: World, path: string) =>
  async (name: string): Promise<boolean> =>
    (await send(world, 'GET', path + name)).status === 200;
const hasStatus =
  (world: World, path: string, status: string) =>
  async (name: string): Promise<boolean> =>
    (await send(world, 'GET', path + name)).body.status === status;
const isScored = (world: World) => (key: string) => hasStatus(world, '/v1/images/', 'scored')(`${key}/scores`);

const has = (rows: readonly CallRecord[], id: string): boolean => rows.some(({ call_id }) => call_id === id);
const twice = (items: readonly unknown[]): number => items.length - new Set(items).size;
const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);
const cityOf = ({ arguments: given }: CallRecord): unknown => (given as { readonly city?: unknown } | null)?.city;

const okRows = async (world: World, tool: string): Promise<readonly CallRecord[]> => {
  const found: CallRecord[] = [];
  let after: string | undefined;
  do {
    const query = `tool=${tool}&status=ok&limit=200${after === undefined ? '' : `&cursor=${after}`}`;
    const { body } = await send(world, 'GET', `/v1/executions?${query}`);
    found.push(...body.executions);
    after = body.next_cursor ?? undefined;
  } while (after !== undefined);
  return found;
};
