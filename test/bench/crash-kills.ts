import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { bundleClone } from '../../infra/build/bundle-command.ts';
import type { Verification } from '../../shared/execute/billing/verify-usage.ts';
import type { CallRecord } from '../../shared/model/call-record.ts';
import { type Served, serveAssay } from '../support/process.ts';
import { aTool } from '../support/tools.ts';
import { judge, printTable } from './report.ts';

const ADMIN = 'a-fixed-admin-key-1';
/** The server's clock: a lease of 90 s ends within five. */
const SPEED = 18;
/** A kill comes after so many answers at most, or after so many seconds where there are none. */
const MOST_ANSWERS = 60;
const LONGEST_SECONDS = 20;
/** A client gives its key up after many terms of a lease, through many kills. */
const LONGEST_TRY_SECONDS = 180;
const picture = await readFile(fileURLToPath(new URL('../golden/iqa/chelsea_jpeg_2.png', import.meta.url)));

interface World {
  served: Served;
  isOver: boolean;
  readonly payer: string;
  readonly planId: string;
  readonly tools: string[];
  readonly calls: string[];
  readonly keys: Map<string, string>;
  readonly runs: string[];
  readonly uploads: string[];
  readonly inbox: string;
  readonly dropped: string[];
  /** Idempotency keys that were never answered, with what was said last. */
  readonly stuck: string[];
  /** How many requests were answered. */
  answers: number;
}

/** Kills the real server again and again under load, and prints what was lost, stuck or charged wrongly. */
export const benchKills = async (kills: number): Promise<void> => {
  // Starts in half the time of the sources.
  await bundleClone();
  const cwd = await mkdtemp(join(tmpdir(), 'assay-crash-'));
  const env = {
    ASSAY_ADMIN_KEY: ADMIN,
    NODE_OPTIONS: `--import=${new URL('../support/fast-clock.ts', import.meta.url).href}`,
    FAST_SINCE: `${Date.now()}`,
    FAST_SPEED: `${SPEED}`,
  };
  const start = () => serveAssay({ cwd, env });
  const world = await prepare(await start(), cwd);
  const clients = [register, call, call, callOnce, callOnce, run, upload, drop].map((work, n) =>
    repeat(world, work, n),
  );
  for (let killed = 0; killed < kills; killed++) {
    await untilRandomMoment(world);
    await world.served.stop('SIGKILL');
    world.served = await start();
    if (killed % 10 === 9) console.error(`${killed + 1} kills`);
  }
  await wait(1000);
  world.isOver = true;
  await Promise.all(clients);
  // Longer than a lease, a beat, and the time of a reservation.
  await wait((6 * 60_000) / SPEED);
  await untilScored(world);
  await report(world, kills);
  await world.served.stop();
  await rm(cwd, { recursive: true });
};

/**
 * By what was done, not by time alone: on a busy machine a server must get somewhere too. Every third time it is a
 * picture that gets there.
 */
const untilRandomMoment = async (world: World): Promise<void> => {
  const [answers, scored] = [world.answers + Math.random() * MOST_ANSWERS, await countScored(world)];
  const isByPicture = Math.random() < 1 / 3;
  for (const end = Date.now() + LONGEST_SECONDS * 1000; Date.now() < end; await wait(10)) {
    if (isByPicture ? (await countScored(world)) > scored : world.answers > answers) break;
  }
  await wait(Math.random() * 300);
};

const countScored = async ({ dropped }: World): Promise<number> =>
  (await Promise.all(dropped.map(hasScores))).filter(Boolean).length;

/** Pictures take their time on a machine with other work; two minutes are far beyond a lease. */
const untilScored = async (world: World): Promise<void> => {
  for (let tries = 0; tries < 120; tries++) {
    const states = await Promise.all(world.uploads.map((key) => send(world, 'GET', `/v1/images/${key}/scores`)));
    const dropped = await Promise.all(world.dropped.map(hasScores));
    if (states.every(({ body }) => ['scored', 'failed'].includes(body.status)) && dropped.every(Boolean)) return;
    await wait(1000);
  }
};

const send = async (
  { served }: Pick<World, 'served'>,
  method: string,
  path: string,
  body?: unknown,
  key = ADMIN,
  more: Readonly<Record<string, string>> = {},
) => {
  const response = await fetch(served.address + path, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...more },
    body: body === undefined ? null : JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, body: JSON.parse(text || '{}') };
};

const prepare = async (served: Served, cwd: string): Promise<World> => {
  await send({ served }, 'POST', '/v1/tools', aTool({ name: 'priced', price_micros: 5 }));
  await send({ served }, 'POST', '/v1/tools', aTool({ name: 'priced_once', price_micros: 5 }));
  const { body: key } = await send({ served }, 'POST', '/v1/keys', {
    scopes: ['read', 'invoke'],
    quota: { calls: 1_000_000 },
  });
  await send({ served }, 'POST', '/v1/tools', aTool({ name: 'in_plan', price_micros: 5 }));
  const node = { id: 'n', tool: 'in_plan', arguments: { city: 'Ulm' } };
  const { body: plan } = await send({ served }, 'POST', '/v1/plans', { nodes: [node] });
  const inbox = join(/^ +data +(.*) \(put/m.exec(served.greeting)?.[1] ?? '', 'inbox');
  const empty = {
    tools: [],
    calls: [],
    keys: new Map<string, string>(),
    runs: [],
    uploads: [],
    dropped: [],
    stuck: [],
    answers: 0,
  };
  return { served, isOver: false, payer: key.key, planId: plan.plan_id, inbox: resolve(cwd, inbox), ...empty };
};

/** A client that goes on whatever happens to its connections. */
const repeat = async (
  world: World,
  work: (world: World, name: string) => Promise<unknown>,
  client: number,
): Promise<void> => {
  for (let n = 0; !world.isOver; n++) {
    await work(world, `c${client}_${n}`).then(
      () => world.answers++,
      () => wait(50),
    );
    await wait(20);
  }
};

const register = async (world: World, name: string): Promise<void> => {
  const { status } = await send(world, 'POST', '/v1/tools', aTool({ name: `tool_${name}` }));
  if (status === 201) world.tools.push(`tool_${name}`);
};

const call = async (world: World, city: string): Promise<void> => {
  const { status, body } = await send(world, 'POST', '/v1/tools/priced/invoke', { arguments: { city } }, world.payer);
  if (status === 200) world.calls.push(body.call_id);
};

/** Sends the same key until it is answered, as a client does that wants it done once. */
const answered = async (world: World, path: string, body: unknown, name: string) => {
  let last: unknown;
  for (const end = Date.now() + LONGEST_TRY_SECONDS * 1000; Date.now() < end; await wait(100)) {
    const headers = { 'idempotency-key': name };
    const sent = await send(world, 'POST', path, body, world.payer, headers).catch(() => undefined);
    if (sent && sent.status < 300) return sent.body;
    last = sent?.body ?? last;
  }
  world.stuck.push(`${name}: ${JSON.stringify(last)}`);
  throw new Error(`${name} was never answered`);
};

const callOnce = async (world: World, name: string): Promise<void> => {
  const body = await answered(world, '/v1/tools/priced_once/invoke', { arguments: { city: name } }, name);
  world.keys.set(name, body.call_id);
};

const run = async (world: World, name: string): Promise<void> => {
  const body = await answered(world, `/v1/plans/${world.planId}/runs`, { input: {} }, name);
  world.runs.push(body.run_id);
};

const upload = async (world: World): Promise<void> => {
  const wish = { content_type: 'image/png', size: picture.length, tools: ['entropy'] };
  const { body } = await send(world, 'POST', '/v1/uploads', wish, world.payer);
  const put = await fetch(body.url, {
    method: 'PUT',
    headers: { 'content-type': 'image/png' },
    body: Uint8Array.from(picture),
  });
  if (put.status === 200) world.uploads.push(body.key);
  await wait(300);
};

/** Another picture each time, by a byte behind its end. */
const drop = async (world: World, name: string): Promise<void> => {
  // A folder takes pictures while there is no server: no more of them than one can score between two kills.
  const scored = await Promise.all(world.dropped.map(hasScores));
  if (scored.filter((isDone) => !isDone).length >= 5) return;
  const file = join(world.inbox, `${name}.png`);
  await writeFile(file, Buffer.concat([picture, Buffer.from(name)]));
  world.dropped.push(file);
  await wait(1000);
};

const hasScores = async (file: string): Promise<boolean> => {
  const text = await readFile(`${file}.scores.json`, 'utf8').catch(() => '{}');
  return JSON.parse(text).status === 'scored';
};

const report = async (world: World, kills: number): Promise<void> => {
  const bad = async (items: readonly string[], isGood: (item: string) => Promise<boolean>): Promise<number> => {
    let found = 0;
    for (const item of items) if (!(await isGood(item))) found++;
    return found;
  };
  const isThere = async (path: string): Promise<boolean> => (await send(world, 'GET', path)).status === 200;
  const once = await okRows(world, 'priced_once');
  const fees = await okRows(world, 'run');
  const month = new Date().toISOString().slice(0, 7);
  const path = `/v1/usage/verification?month=${month}`;
  const before: Verification = (await send(world, 'GET', path)).body;
  const after: Verification = (await send(world, 'POST', path)).body;
  const rows = {
    'tools registered and lost': [world.tools.length, await bad(world.tools, (name) => isThere(`/v1/tools/${name}`))],
    'calls answered without a record': [
      world.calls.length,
      await bad(world.calls, (id) => isThere(`/v1/executions/${id}`)),
    ],
    'idempotent calls charged twice': [world.keys.size, once.length - new Set(once.map(cityOf)).size],
    'idempotent calls not charged': [world.keys.size, [...world.keys.values()].filter((id) => !has(once, id)).length],
    'runs that did not end': [
      world.runs.length,
      await bad(world.runs, async (id) => (await send(world, 'GET', `/v1/runs/${id}`)).body.status === 'ok'),
    ],
    'runs without their fee': [world.runs.length, world.runs.filter((id) => !has(fees, id)).length],
    'uploads left pending': [
      world.uploads.length,
      await bad(
        world.uploads,
        async (key) => (await send(world, 'GET', `/v1/images/${key}/scores`)).body.status === 'scored',
      ),
    ],
    'inbox pictures without scores': [world.dropped.length, await bad(world.dropped, hasScores)],
    'nodes charged twice or not at all': [world.runs.length, await nodesWrong(world)],
    'idempotency keys still running': [world.keys.size, world.stuck.length],
    'differences of usage': [before.rows, before.differences.filter(({ what }) => what === 'usage').length],
    'differences after settling': [after.rows, after.differences.length],
  };
  console.log(`${kills} kills`);
  printTable(Object.entries(rows).map(([seen, [of, count]]) => ({ seen, of, count })));
  for (const key of world.uploads) {
    const { body } = await send(world, 'GET', `/v1/images/${key}/scores`);
    if (body.status !== 'scored') console.log(`upload ${key}: ${body.status} ${body.error?.message ?? ''}`);
  }
  for (const id of world.runs) {
    const { body } = await send(world, 'GET', `/v1/runs/${id}`);
    if (body.status !== 'ok') console.log(`run ${id}: ${JSON.stringify(body)}`);
  }
  for (const line of world.stuck) console.log(`key ${line}`);
  for (const { what, why } of before.differences) console.log(`before settling: ${what}: ${why}`);
  judge(
    'nothing lost, stuck, unpaid or charged twice',
    Object.values(rows).every(([, count]) => count === 0),
  );
};

/** How many charged calls of nodes there are beside one for each run. */
const nodesWrong = async (world: World): Promise<number> => {
  const [rows, runs] = [await okRows(world, 'in_plan'), await okRows(world, 'run')];
  return Math.abs(rows.length - runs.length);
};

const has = (rows: readonly CallRecord[], id: string): boolean => rows.some(({ call_id }) => call_id === id);
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
