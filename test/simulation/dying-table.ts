import type { Blobs, Table } from '../../shared/kernel/ports.ts';

/** What a process is told whose time has come; nothing of it reaches the store any more. */
export class Died extends Error {
  constructor() {
    super('the process died');
  }
}

/** Numbers from a seed, so that a schedule can be drawn again. */
export const seeded = (seed: number): (() => number) => {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
};

/** Lets the operations of several processes on one store take turns in an order drawn from a seed. */
export const createTurns = (random: () => number): (() => Promise<void>) => {
  const waiting: (() => void)[] = [];
  let isPumping = false;
  const pump = (): void => {
    const [next] = waiting.splice(Math.floor(random() * waiting.length), 1);
    next?.();
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

export interface Life {
  /** The writes after which the process dies; never where it is absent. */
  readonly writes?: number | undefined;
  readonly turn: () => Promise<void>;
}

export interface Mortal {
  readonly table: Table;
  readonly blobs: Blobs;
  /** How many writes it has done, and whether it is dead. */
  readonly state: { writes: number; isDead: boolean };
  /** The ids of the runs that it has stored. */
  readonly runs: ReadonlySet<string>;
}

/** A store whose process dies right after its k-th write: that one is stored, its answer is lost, and so is the rest. */
export const mortalStore = (table: Table, blobs: Blobs, { writes = Infinity, turn }: Life): Mortal => {
  const state = { writes: 0, isDead: false };
  const runs = new Set<string>();
  const reading = async <T>(work: () => Promise<T>): Promise<T> => {
    await turn();
    if (state.isDead) throw new Died();
    return work();
  };
  const writing = <T>(work: () => Promise<T>): Promise<T> =>
    reading(async () => {
      const result = await work();
      state.isDead ||= ++state.writes >= writes;
      if (state.isDead) throw new Died();
      return result;
    });
  return {
    state,
    runs,
    table: {
      streams: table.streams,
      get: (key) => reading(() => table.get(key)),
      query: (pk, query) => reading(() => table.query(pk, query)),
      change: (keys, rule) => {
        let wrote = false;
        const watched: typeof rule = (items) => {
          const change = rule(items);
          wrote = change.writes.length > 0;
          for (const write of change.writes)
            if ('put' in write && write.put.sk === 'RUN') runs.add(write.put.pk.split('#').at(-1) ?? '');
          return change;
        };
        return reading(async () => {
          const result = await table.change(keys, watched);
          if (wrote) state.isDead ||= ++state.writes >= writes;
          if (state.isDead) throw new Died();
          return result;
        });
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
