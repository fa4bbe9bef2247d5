import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { aTool } from '../support/tools.ts';
import { LEASE_MS, send, type World } from './crash-world.ts';

const picture = await readFile(fileURLToPath(new URL('../golden/iqa/chelsea_jpeg_2.png', import.meta.url)));

/** A key is stuck after this many retry answers, over this many lease terms, from a server that is no longer killed. */
const STUCK_ANSWERS = 100;
const STUCK_TERMS = 6;

/** Sends requests of every kind until the world is over; resolves when every client has its last answer. */
export const startClients = (world: World): Promise<unknown> =>
  Promise.all(
    [register, call, call, fail, callOnce, callOnce, effectOnce, run, upload, drop].map((work, n) =>
      repeat(world, work, n),
    ),
  );

/** A client that continues after connection errors. */
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

/** Calls a failing tool, because the reservation of a failed call is released by a separate write. */
const fail = async (world: World, city: string): Promise<void> => {
  const { status, body } = await send(world, 'POST', '/v1/tools/broken/invoke', { arguments: { city } }, world.payer);
  if (status === 200) world.failures.push(body.call_id);
};

/**
 * Repeats a request with the same key until it is answered, as a client does that wants it done once. It may take long
 * while the server is killed repeatedly or is slow to answer; neither counts as stuck.
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

/** Drops a new picture each time, made by appending its name to the file. */
const drop = async (world: World, name: string): Promise<void> => {
  // The folder accepts pictures while the server is down, so limit them to what can be scored between two kills.
  if (world.dropped.length - (await countScored(world)) >= 5) return;
  const file = join(world.inbox, `${name}.png`);
  await writeFile(file, Buffer.concat([picture, Buffer.from(name)]));
  world.dropped.push(file);
  await wait(1000);
};

/** The number of scored pictures in the inbox. */
export const countScored = async ({ dropped }: Pick<World, 'dropped'>): Promise<number> =>
  (await Promise.all(dropped.map(hasScores))).filter(Boolean).length;

export const hasScores = async (file: string): Promise<boolean> => {
  const text = await readFile(`${file}.scores.json`, 'utf8').catch(() => '{}');
  return JSON.parse(text).status === 'scored';
};
