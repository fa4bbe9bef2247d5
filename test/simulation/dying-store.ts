import type { Blobs, Table } from '../../shared/kernel/ports.ts';
import type { Awake, Timeline } from './timeline.ts';

/** Thrown by every operation of a process that has died; nothing of it reaches the store any more. */
export class Died extends Error {
  constructor() {
    super('the process died');
  }
}

/** Whose turn it is, of several processes on one store, in an order drawn from a seed. */
export interface Turns {
  /** Resolves when an operation may begin. */
  operation(): Promise<void>;
  /** Does one request of a store that answers in a time of its own, which does not decide what comes after it. */
  request<T>(work: () => Promise<T>): Promise<T>;
}

/** The recorder gathers for eight turns of the event loop: after so many all that can happen has. */
const QUIET_TURNS = 12;

export const createTurns = (random: () => number): Turns => {
  let [underway, quiet] = [0, 0];
  const operations = createQueue(random, () => {
    quiet = 0;
    return true;
  });
  const requests = createQueue(random, () => underway === 0 && ++quiet > QUIET_TURNS);
  return {
    operation: operations,
    async request(work) {
      quiet = 0;
      await requests();
      underway++;
      try {
        return await work();
      } finally {
        underway--;
        quiet = 0;
      }
    },
  };
};

/** Lets one of those that wait go on in each turn of the event loop in which one may. */
const createQueue = (random: () => number, mayGo: () => boolean): (() => Promise<void>) => {
  const waiting: (() => void)[] = [];
  let isPumping = false;
  const pump = (): void => {
    if (mayGo()) waiting.splice(Math.floor(random() * waiting.length), 1)[0]?.();
    isPumping = waiting.length > 0;
    if (isPumping) setImmediate(pump);
  };
  return () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      if (!isPumping) setImmediate(pump);
      isPumping = true;
    });
};

/** What happens to a process right after a write, which is stored: it dies, or it stands still until it is woken. */
export type Fate = 'dies' | 'stalls';

export interface Life {
  /** After so many writes; never where it is absent. */
  readonly writes?: number | undefined;
  readonly fate?: Fate | undefined;
  readonly turns: Pick<Turns, 'operation'>;
  readonly timeline: Pick<Timeline, 'during'>;
}

export interface DyingStore extends Awake {
  readonly table: Table;
  readonly blobs: Blobs;
  readonly state: { writes: number; isDead: boolean };
  /** The ids of the runs that it has stored. */
  readonly runs: ReadonlySet<string>;
  /** Resolves when the process dies or stands still. */
  readonly stopped: Promise<void>;
  wake(): void;
}

/** The store as a process sees it that dies or stalls right after its k-th write. */
export const dyingStore = (table: Table, blobs: Blobs, life: Life): DyingStore => {
  const { writes: last = Number.POSITIVE_INFINITY, fate = 'dies', turns, timeline } = life;
  const state = { writes: 0, isDead: false, isStalled: false };
  const runs = new Set<string>();
  const stopped = Promise.withResolvers<void>();
  const woken = Promise.withResolvers<void>();

  const goOn = async (): Promise<void> => {
    if (state.isDead) throw new Died();
    if (state.isStalled) await woken.promise;
  };
  const wrote = (): void => {
    state.writes++;
    if (state.writes !== last) return;
    if (fate === 'dies') state.isDead = true;
    else state.isStalled = true;
    stopped.resolve();
  };
  const reading = async <T>(work: () => Promise<T>, hasWritten = () => false): Promise<T> => {
    await timeline.during(turns.operation);
    await goOn();
    const result = await timeline.during(work);
    if (hasWritten()) wrote();
    await goOn();
    return result;
  };
  const writing = <T>(work: () => Promise<T>): Promise<T> => reading(work, () => true);
  return {
    state,
    runs,
    stopped: stopped.promise,
    isAwake: () => !state.isDead && !state.isStalled,
    wake() {
      state.isStalled = false;
      woken.resolve();
    },
    table: {
      streams: table.streams,
      get: (key) => reading(() => table.get(key)),
      query: (pk, query) => reading(() => table.query(pk, query)),
      scan: (prefix, after) => reading(() => table.scan(prefix, after)),
      change: (keys, rule) => {
        let hasWrites = false;
        const watched: typeof rule = (items) => {
          const change = rule(items);
          hasWrites = change.writes.length > 0;
          for (const write of change.writes)
            if ('put' in write && write.put.sk === 'RUN') runs.add(write.put.pk.split('#').at(-1) ?? '');
          return change;
        };
        return reading(
          () => table.change(keys, watched),
          () => hasWrites,
        );
      },
      write: (list) => writing(() => table.write(list)),
      count: (key, add, limits, expires) => writing(() => table.count(key, add, limits, expires)),
      close: async () => {},
    },
    blobs: {
      get: (key) => reading(() => blobs.get(key)),
      put: (key, bytes, type) => writing(() => blobs.put(key, bytes, type)),
      remove: (key) => writing(() => blobs.remove(key)),
      list: (prefix) => reading(() => blobs.list(prefix)),
    },
  };
};
