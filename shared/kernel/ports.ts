import type { JsonSchema } from './json.ts';

/** The key of one item, built only by `item-keys.ts`. */
export interface Key {
  readonly pk: string;
  readonly sk: string;
}

/** A stored item. `expires` is in seconds since 1970; an expired item reads as absent. */
export interface Item {
  readonly key: Key;
  /** 1 for a new item, incremented by each change or count that read it; a blind write resets it to 1. */
  readonly revision: number;
  readonly expires?: number;
  /** JSON, with key order kept; undefined properties are not stored. */
  readonly body: Readonly<Record<string, unknown>>;
  /** What is stored is not a JSON object: reading the body throws. */
  readonly isDamaged?: true;
}

export type Write =
  | { readonly put: Key; readonly body: Readonly<Record<string, unknown>>; readonly expires?: number }
  | { readonly remove: Key };

/** What a rule decided: the writes, and the result for the caller. */
export interface Change<T> {
  readonly writes: readonly Write[];
  readonly result: T;
}

export interface PageQuery {
  readonly prefix?: string;
  /** Exclusive: the sort key to continue after. */
  readonly after?: string;
  readonly limit?: number;
  /** A page may end after so many bytes of items: for callers that follow `next`. */
  readonly bytes?: number;
  readonly reverse?: boolean;
}

export interface Page {
  readonly items: readonly Item[];
  /** The sort key to continue after; absent on the last page. */
  readonly next?: string;
}

/** Some items of many partitions. */
export interface ScanPage {
  readonly items: readonly Item[];
  /** The item to continue after; absent on the last page. */
  readonly next?: Key;
}

/**
 * One table of items, the same on memory, SQLite and DynamoDB, with the same limits: 400 KB an item, and 100 items
 * and 4 MB a change, read or written; beyond them `TooLarge`. A store that cannot be reached is `Unavailable`.
 */
export interface Table {
  /** Whether writes reach `functions/stream`; otherwise totals are folded in the same change. */
  readonly streams: boolean;
  get(key: Key): Promise<Item | undefined>;
  /** The items of a partition in the order of their sort keys' UTF-8 bytes; all of them unless limited. */
  query(pk: string, query?: PageQuery): Promise<Page>;
  /**
   * Items of all partitions whose key begins with the prefix, in any order, up to some hundred at a time; a page may be
   * empty before the last. For operators only: DynamoDB reads its whole table for it.
   */
  scan(prefix: string, after?: Key): Promise<ScanPage>;
  /**
   * Reads the keys, applies the rule and writes, all or nothing, only if none of the keys has changed since.
   * The rule is pure and may run more than once; it may write keys it has not read. When it throws, nothing is stored.
   */
  change<T>(keys: readonly Key[], rule: (items: readonly (Item | undefined)[]) => Change<T>): Promise<T>;
  /** Writes items that have no other writer, without reading them first; a large batch is not atomic. */
  write(writes: readonly Write[]): Promise<void>;
  /**
   * Adds integers to an item of counters in one conditional update, and returns all its counters; undefined, with
   * nothing added, when a counter would exceed its limit. `expires` is kept when not given.
   */
  count(
    key: Key,
    add: Readonly<Record<string, number>>,
    limits?: Readonly<Record<string, number>>,
    expires?: number,
  ): Promise<Readonly<Record<string, number>> | undefined>;
  close(): Promise<void>;
}

/** Structured logging. */
export interface Log {
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

/** Time and ids are injected, so that the core stays deterministic. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** A new ULID. */
  newId(): string;
}

/** Timers; a port like the clock, so that whatever controls the time also controls waiting. */
export interface Timers {
  /** Repeats work until the returned function is called. */
  every(milliseconds: number, work: () => void): () => void;
  /**
   * Runs work once, after a delay, unless the returned function is called first. Keeps the process alive unless `ref`
   * is false.
   */
  after(milliseconds: number, work: () => void, ref?: boolean): () => void;
}

/** Bytes under keys: images, models, large results. */
export interface Blobs {
  get(key: string): Promise<Uint8Array | undefined>;
  put(key: string, bytes: Uint8Array, contentType?: string): Promise<void>;
  remove(key: string): Promise<void>;
  list(prefix: string): Promise<readonly string[]>;
}

/** A function behind a builtin, internal or plugin tool. */
export interface Handler {
  readonly permission: 'safe' | 'confirm' | 'dangerous';
  /** The handler's own parameters, which hold whatever a tool definition that uses it says. */
  readonly parameters?: JsonSchema;
  /** Throws a `Fault` for arguments that must not run, beyond what a schema can express. */
  readonly check?: (
    args: Readonly<Record<string, unknown>>,
    tenant: string,
    tool: { readonly name: string; readonly version: string },
    /** The id of the caller's key. */
    keyId: string,
  ) => Promise<void>;
  /** What the arguments name that does not exist, such as a file; a decision with such arguments is not ready. */
  readonly lacks?: (args: Readonly<Record<string, unknown>>, tenant: string) => Promise<Lack | undefined>;
  readonly run: (args: Readonly<Record<string, unknown>>, context: CallContext) => Promise<unknown>;
}

export interface Lack {
  readonly parameter: string;
  readonly reason: string;
}

export interface CallContext {
  readonly tenant: string;
  readonly callId: string;
  /** The id of the caller's key. */
  readonly keyId: string;
  readonly signal: AbortSignal;
  /** Reports that the call is queued: its timeout starts when the promise resolves. */
  readonly waits?: (turn: Promise<void>) => void;
  readonly log: Log;
  /** The definition being run, for handlers that serve many tools. */
  readonly tool: { readonly name: string; readonly version: string };
  readonly progress?: (done: number, total?: number, note?: string) => void;
  readonly client?: CallingClient;
  /** The tools the caller is confined to; all when absent. */
  readonly allowed?: ReadonlySet<string>;
  /** How many plans that are tools the call is inside of. */
  readonly planDepth?: number;
  /** The outermost run that the call belongs to. */
  readonly planRoot?: string | undefined;
}

/** The MCP client behind a call, for tools that talk to it while they run. */
export interface CallingClient {
  log(level: 'debug' | 'info' | 'warning' | 'error', message: unknown): void;
  /** Asks the client's user or model; protocols without an open connection cannot. */
  readonly request?: (
    method: 'elicitation/create' | 'sampling/createMessage',
    params: Readonly<Record<string, unknown>>,
  ) => Promise<unknown>;
}

/** What a caller provides to a tool during a call. */
export type CallExtras = Pick<CallContext, 'progress' | 'client'>;

/** The resources that a call used, as far as they can be told from concurrent work. */
export interface ResourceUsage {
  readonly cpuMs: number;
  readonly memoryDeltaBytes: number;
  readonly memoryPeakBytes: number;
}

export interface Measured<T> {
  readonly result: PromiseSettledResult<T>;
  readonly durationMs: number;
  readonly usage: ResourceUsage;
}

/** Runs work and measures it. */
export interface Gauge {
  measure<T>(work: () => Promise<T>): Promise<Measured<T>>;
}
