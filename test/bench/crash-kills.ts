import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { bundleClone } from '../../infra/build/bundle-command.ts';
import { countScored, startClients } from './crash-clients.ts';
import { reportKills, verifyMonths } from './crash-report.ts';
import { LEASE_MS, prepareWorld, send, type World } from './crash-world.ts';

/** A kill comes after at most this many answers, or this many seconds without enough answers. */
const MOST_ANSWERS = 60;
const LONGEST_SECONDS = 20;
/** Pictures are stuck if none makes progress for this long on a server that answers. */
const STUCK_SECONDS = 120;

/**
 * Kills the real server, or one of several on the same data, repeatedly under load, and prints what was lost, stuck or
 * charged wrongly.
 */
export const benchKills = async (kills: number, servers: number): Promise<void> => {
  // The bundle starts in half the time of the sources.
  await bundleClone();
  const cwd = await mkdtemp(join(tmpdir(), 'assay-crash-'));
  const world = await prepareWorld(cwd, servers);
  const clients = startClients(world);
  for (let killed = 0; killed < kills; killed++) {
    await untilRandomMoment(world);
    const at = Math.floor(Math.random() * world.servers.length);
    await world.servers[at]?.stop('SIGKILL');
    world.servers[at] = await world.start();
    if (killed % 10 === 9) console.error(`${killed + 1} kills, ${world.answers} answers`);
  }
  world.isCalm = true;
  // Clients interrupted by the last kill are answered once a lease ends, while others continue.
  await wait(2 * LEASE_MS);
  world.isOver = true;
  await clients;
  await untilScored(world);
  await untilAgreed(world);
  await reportKills(world, kills);
  for (const { stop } of world.servers) await stop();
  await rm(cwd, { recursive: true });
};

/**
 * Waits for progress rather than for time alone, so that a server gets something done on a busy machine too. Every
 * third wait, on average, is for a scored picture.
 */
const untilRandomMoment = async (world: World): Promise<void> => {
  const [answers, scored] = [world.answers + Math.random() * MOST_ANSWERS, await countScored(world)];
  const isByPicture = Math.random() < 1 / 3;
  for (const end = Date.now() + LONGEST_SECONDS * 1000; Date.now() < end; await wait(10)) {
    if (isByPicture ? (await countScored(world)) > scored : world.answers > answers) break;
  }
  await wait(Math.random() * 300);
};

/** Waits until all pictures are scored, or none of them has made progress for too long: a busy machine is only slow. */
const untilScored = async (world: World): Promise<void> => {
  for (let [left, since] = [Number.POSITIVE_INFINITY, Date.now()]; left > 0; await wait(500)) {
    const now = world.dropped.length - (await countScored(world)) + (await countPending(world));
    if (now < left) since = Date.now();
    left = now;
    if (Date.now() - since > STUCK_SECONDS * 1000) return;
  }
};

/** Waits for the ledger to agree: a picture's reservation lapses after sixteen minutes of server time. */
const untilAgreed = async (world: World): Promise<void> => {
  const isAgreed = async () => (await verifyMonths(world, 'GET')).every(({ differences }) => differences.length === 0);
  for (const end = Date.now() + 20 * LEASE_MS; Date.now() < end && !(await isAgreed()); ) await wait(2000);
};

const countPending = async (world: World): Promise<number> => {
  const states = await Promise.all(world.uploads.map((key) => send(world, 'GET', `/v1/images/${key}/scores`)));
  return states.filter(({ body }) => body.status === 'pending').length;
};
