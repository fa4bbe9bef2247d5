import assert from 'node:assert/strict';
import { QuotaHolderItem } from '../../shared/execute/billing/quota-holders.ts';
import type { Verification } from '../../shared/execute/billing/verify-usage.ts';
import { ACTIVE_RUNS_PK, ACTIVE_UPLOADS_PK } from '../../shared/kernel/item-keys.ts';
import { lazyAsync } from '../../shared/kernel/lazily.ts';
import { LEASE_MS } from '../../shared/kernel/lease.ts';
import { ACTIVE_QUOTAS_PK } from '../../shared/kernel/quota-keys.ts';
import { seededRandom } from '../../shared/kernel/seeded-random.ts';
import { read } from '../../shared/kernel/stored.ts';
import type { CallRecord } from '../../shared/model/call-record.ts';
import { createTurns, type DyingStore, dyingStore, type Fate } from './dying-store.ts';
import { type Prepared, type Process, prepare, startProcess, type World } from './process.ts';
import { type Client, consent, type Scenario, type ScenarioName, scenarios } from './scenarios.ts';
import { fillingDisk, type OpenStore, openMemory, restoreItems, told, watchItems } from './stores.ts';
import { createTimeline, type Timeline } from './timeline.ts';

/** One way in which things may happen: what is done, what becomes of the first process when, and in which order. */
export interface Schedule {
  readonly scenario: ScenarioName;
  /** The writes of the first process; it lives where that is more than it does. */
  readonly writes: number;
  readonly fate: Fate;
  readonly seed: number;
  /** Whether a second process does the same at the same time. */
  readonly isContended: boolean;
}

const START = Date.parse('2026-03-05T12:00:00Z');
const VERIFICATION = '/v1/usage/verification?month=2026-03';
/** Longer than any reservation. */
const LONG_MS = 20 * 60_000;
/** Clocks of processes differ by up to a minute. */
const MOST_SKEW_MS = 30_000;

/** Does what a schedule says, recovers as a server does that starts later, and checks what must hold. */
export const simulate = async (
  schedule: Schedule,
  open: OpenStore = openMemory,
  /** Told what is done to the store, in order. */
  tell?: (line: string) => void,
): Promise<{ writes: number }> => {
  const random = seededRandom(schedule.seed);
  const timeline = createTimeline(START);
  const world: World = { timeline, random, effects: { count: 0 } };
  const turns = createTurns(random);
  const opened = open(timeline.now, turns);
  const store = tell ? told(opened, (line) => tell(`${timeline.now()} ${line}`)) : opened;
  const { items, prepared } = await preparation();
  await restoreItems(store, items);

  const { writes, fate } = schedule;
  const stores = [dyingStore(store.table, store.blobs, { writes, fate, turns, timeline })];
  if (schedule.isContended) stores.push(dyingStore(store.table, store.blobs, { turns, timeline }));
  const skew = (): number => Math.round((random() * 2 - 1) * MOST_SKEW_MS);
  const clients: Client[] = [];
  for (const [at, own] of stores.entries())
    clients.push({ ...prepared, process: await startProcess(own, world, skew()), name: `c${at}`, acknowledged: [] });
  const { disk, ...roomy } = fillingDisk(store);
  const later = await startProcess(dyingStore(roomy.table, roomy.blobs, { turns, timeline }), world, skew());
  const fill = async (): Promise<void> => {
    disk.room = Math.floor(random() * 8);
    await recoverShortOfRoom(later);
    disk.room = Number.POSITIVE_INFINITY;
    await later.assay.recorder.flush();
    timeline.skip(LEASE_MS + 2 * MOST_SKEW_MS);
  };
  try {
    const fillDisk = random() < 0.25 ? fill : async () => {};
    await timeline.drive(happen(schedule, world, stores, clients, later, fillDisk));
  } finally {
    // What is left of them gets no time any more.
    for (const { state } of stores) state.isDead = true;
    await store.table.close();
  }
  return { writes: stores[0]?.state.writes ?? 0 };
};

/** What all simulations start with, made once: a store's items. */
const preparation = lazyAsync(async () => {
  const timeline = createTimeline(START - 3_600_000);
  const world: World = { timeline, random: seededRandom(1), effects: { count: 0 } };
  const { table, blobs } = openMemory(timeline.now, createTurns(world.random));
  const watched = watchItems(table);
  const process = await startProcess({ table: watched.table, blobs }, world);
  const prepared: Prepared = await prepare(process);
  await process.assay.recorder.close();
  return { items: await watched.items(), prepared };
});

const happen = async (
  schedule: Schedule,
  world: World,
  stores: readonly DyingStore[],
  clients: readonly Client[],
  later: Process,
  fillDisk: () => Promise<void>,
): Promise<void> => {
  const { timeline, random } = world;
  const { run, isRepeated, check }: Scenario = scenarios[schedule.scenario];
  const working = clients.map((client, at) => Promise.race([run(client).catch(() => {}), deathOf(stores[at])]));
  const [first, ...others] = working;
  await Promise.race([first, stores[0]?.stopped]);
  await Promise.all(others);

  // Its lease is over by any clock; what it had reserved may be over too.
  timeline.skip(LEASE_MS + 2 * MOST_SKEW_MS + (random() < 0.5 ? LONG_MS : 0));
  // Whoever recounts the quota, as another call of the key may, ends what was reserved for too long.
  if (random() < 0.5) await settle(later);
  await fillDisk();
  await recover(later);
  const again = clients.map((client) => ({ ...client, process: later, acknowledged: [] }));
  if (isRepeated) for (const client of again) await run(client);
  for (const { wake } of stores) wake();
  await Promise.all(working);
  timeline.skip(LONG_MS + LEASE_MS);
  await recover(later);
  const table = later.assay.table;
  for (const pk of [ACTIVE_RUNS_PK, ACTIVE_UPLOADS_PK])
    assert.deepEqual(
      (await table.query(pk)).items.map(({ key }) => key.sk),
      [],
      `something is left of ${pk}`,
    );

  // Left are those of processes that are there, and what is to be looked at again once its time is up.
  const held = (await table.query(ACTIVE_QUOTAS_PK)).items.map((item) => read(item, QuotaHolderItem).lease);
  assert.ok(
    held.every((lease) => lease && lease.until > later.assay.clock.now()),
    'somebody who died holds quotas',
  );

  await checkMoney(later, table.streams, timeline);
  const { body } = await later.json<{ executions: CallRecord[] }>('GET', '/v1/executions?limit=200');
  await check({
    clients: [...clients, ...again],
    later,
    executions: body.executions,
    effects: world.effects.count,
    operations: clients.length,
    runs: new Set(stores.flatMap(({ runs }) => [...runs])),
  });
};

/** Resolves when a process has died: what it was doing is never over. */
const deathOf = async (store: DyingStore | undefined): Promise<void> => {
  await store?.stopped;
  if (!store?.state.isDead) await new Promise(() => {});
};

/** What a server does at its start and with every beat. */
const recover = async (process: Process): Promise<void> => {
  const { runs, uploads, quotas } = process;
  for (const id of await runs.resume()) await consent(process, id);
  await uploads.takeOver();
  await uploads.idle();
  await quotas.takeOver();
};

/** The disk is full in the middle of it: it must only be possible to do it again. */
const recoverShortOfRoom = async (process: Process): Promise<void> => {
  const { runs, uploads, quotas } = process;
  const resumed = await runs.resume().catch(() => []);
  for (const id of resumed) await Promise.race([runs.ended('default', id).catch(() => {}), asks(process, id)]);
  await uploads.takeOver().catch(() => {});
  await uploads.idle();
  await quotas.takeOver().catch(() => {});
};

/** Resolves when a run waits for a person: then it does not end by itself. */
const asks = async ({ runs, wait }: Process, id: string): Promise<void> => {
  for (let looks = 0; looks < 500; looks++) {
    const view = await runs.view('default', id);
    if (view?.nodes.some(({ status }) => status === 'waiting_approval')) return;
    await wait(10);
  }
};

const settle = async ({ json }: Pick<Process, 'json'>): Promise<Verification> =>
  (await json<Verification>('POST', VERIFICATION)).body;

/** Nobody need settle anything: what died has lapsed, and was given back. */
const checkMoney = async ({ json }: Process, streams: boolean, timeline: Timeline): Promise<void> => {
  const before = (await json<Verification>('GET', VERIFICATION)).body;
  // Where a stream folds usage there is none here to fold it.
  const found = before.differences.filter(({ what }) => what === 'quota' || !streams);
  assert.deepEqual(found, [], 'ledger, usage and quota agree by themselves');
  // A stream may be at the latest calls for a while, until when usage is left to it.
  if (streams) timeline.skip(LONG_MS);
  const settled = await settle({ json });
  assert.deepEqual(settled.differences, [], 'ledger, usage and quota agree');
};
