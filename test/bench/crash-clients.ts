import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { aTool } from '../support/tools.ts';
import { LEASE_MS, send, type World } from './crash-world.ts';

const picture = await readFile(fileURLToPath(new URL('../golden/iqa/chelsea_jpeg_2.png', import.meta.url)));

/** A key is stuck when a calm server has told it so often, for so many terms of a lease, to come again. */
const STUCK_ANSWERS = 100;
const STUCK_TERMS = 6;

/** Sends requests of every kind until the world is over; resolves when each client has had its last answer. */
export const startClients = (world: World): Promise<unknown> =>
  Promise.all(
    [register, call, call, fail, callOnce, callOnce, effectOnce, run, upload, drop].map((work, n) =>
      repeat(world, work, n),
    ),
  );

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

/** What is reserved for a call that fails is given back by a write of its own. */
const fail = async (world: World, city: string): Promise<void> => {
  const { status, body } = await send(world, 'POST', '/v1/tools/broken/invoke', { arguments: { city } }, world.payer);
  if (status === 200) world.failures.push(body.call_id);
};

/**
 * Sends the same key until it is answered, as a client does that wants it done once. While the server is killed again
 * and again it may take long, and a slow one says nothing for long: neither is stuck.
 */
const answered = async (world: World, path: string, body: unknown, name: string) => {
  const [calm, put] = [{ since: Number.POSITIVE_INFINITY, answers: 0 }, { 'idempotency-key': name }];
  for (let last: unknown; ; await wait(100)) {
    const sent = await send(world, 'POST', path, body, world.payer, put).catch(() => undefined);
    if (sent && sent.status < 300) return sent.body;
    last = sent?.body ?? last;
    if (!world.isCalm || !sent) continue;
    calm.since = Math.min(calm.since, Date.now());
    calm.answers++;
    if (calm.answers < STUCK_ANSWERS || Date.now() - calm.since < STUCK_TERMS * LEASE_MS) continue;
    world.stuck.push(`${name}: ${JSON.stringify(last)}`);
    throw new Error(`${name} was never answered`);
  }
};

const callOnce = async (world: World, name: string): Promise<void> => {
  const body = await answered(world, '/v1/tools/priced_once/invoke', { arguments: { city: name } }, name);
  world.keys.set(name, body.call_id);
};

const effectOnce = async (world: World, name: string): Promise<void> => {
  const { status } = await answered(world, '/v1/tools/noting/invoke', { arguments: { city: name } }, name);
  if (status === 'ok') world.effectKeys.push(name);
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
  if (world.dropped.length - (await countScored(world)) >= 5) return;
  const file = join(world.inbox, `${name}.png`);
  await writeFile(file, Buffer.concat([picture, Buffer.from(name)]));
  world.dropped.push(file);
  await wait(1000);
};

/** How many pictures of the inbox have their scores. */
export const countScored = async ({ dropped }: Pick<World, 'dropped'>): Promise<number> =>
  (await Promise.all(dropped.map(hasScores))).filter(Boolean).length;

export const hasScores = async (file: string): Promise<boolean> => {
  const text = await readFile(`${file}.scores.json`, 'utf8').catch(() => '{}');
  return JSON.parse(text).status === 'scored';
};
