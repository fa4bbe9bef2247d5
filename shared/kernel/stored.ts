import type * as z from 'zod';
import { Fault } from './errors.ts';
import type { Item, Key, Log, Write } from './ports.ts';
import { type Guard, shapeGuard } from './shape-guard.ts';

const BACKUP = 'restore it from a backup';
const NO_JSON = 'it is not a JSON object, or only a part of one';

type Content = Readonly<Record<string, unknown>>;

interface Definition<T> {
  /** The name in messages, as in "the tool family T#default TOOL#weather". */
  readonly what: string;
  /** The format version that the schema describes; 1 by default, 0 for items without a version. */
  readonly version?: number;
  readonly schema: z.ZodType<T>;
  /** A hand-written check that replaces the compiled one, where thousands of items are read at once. */
  readonly guard?: Guard;
  /** Pure migrations, by the version they start from, each to the next version. */
  readonly upgrades?: Readonly<Record<number, (content: Content) => Content>>;
  /**
   * The older version to write while releases that can only read that one may still be running: a release reads a new
   * version before any release writes it.
   */
  readonly writes?: { readonly version: number; readonly downgrade: (content: T) => Content };
  /** What an operator can do about an unreadable item. */
  readonly cure?: string;
}

/** One kind of stored item: its schema, its version, and its migrations. */
export interface Stored<T> extends Definition<T> {
  readonly version: number;
  readonly guard: Guard;
  readonly cure: string;
}

type Kind = Pick<Stored<unknown>, 'what' | 'cure' | 'version' | 'upgrades'>;

export const stored = <T>(definition: Definition<T>): Stored<T> => ({
  version: 1,
  cure: BACKUP,
  guard: shapeGuard(definition.schema),
  ...definition,
});

/** The content of an item, without its format version. Throws when this release cannot read it. */
export const read = <T>(item: Pick<Item, 'key' | 'body' | 'isDamaged'>, kind: Stored<T>): T => {
  const name = () => `${item.key.pk} ${item.key.sk}`;
  if (item.isDamaged) throw refusal(kind, name(), NO_JSON);
  return readContent(item.body, kind, name);
};

/** The content of a stored JSON file, read the same way. */
export const readStoredFile = <T>(name: string, bytes: Uint8Array, kind: Stored<T>): T => {
  const body = parseBody(new TextDecoder().decode(bytes));
  if (!body) throw refusal(kind, name, NO_JSON);
  return readContent(body, kind, () => name);
};

/** Encodes such a file. */
export const writeStoredFile = <T extends object>(kind: Stored<T>, content: NoInfer<T>): Uint8Array =>
  new TextEncoder().encode(JSON.stringify(bodyOf(kind, content)));

/** The readable items; unreadable ones are logged, so that one does not hide the rest. */
export const readAll = <T>(items: readonly Item[], kind: Stored<T>, log?: Pick<Log, 'error'>): readonly T[] =>
  items.flatMap((item) => {
    try {
      return [read(item, kind)];
    } catch (thrown) {
      if (!isUnreadable(thrown)) throw thrown;
      log?.error('stored item skipped', { error: thrown.message });
      return [];
    }
  });

/** The write that stores content in this release's format. */
export const put = <T extends object>(key: Key, kind: Stored<T>, content: NoInfer<T>, expires?: number): Write => ({
  put: key,
  body: bodyOf(kind, content),
  expires,
});

/** Content with its format version. */
const bodyOf = <T extends object>({ version, writes }: Stored<T>, content: T): Content => {
  if (writes !== undefined) return { v: writes.version, ...writes.downgrade(content) };
  return { v: version === 0 ? undefined : version, ...content };
};

/** Whether an error means that an item exists but this release cannot read it. */
export const isUnreadable = (thrown: unknown): thrown is Fault =>
  thrown instanceof Fault && Object.hasOwn(thrown.details, 'unreadable');

/** Whether a newer release could read it. */
export const isNewer = (fault: Fault): boolean => Object.hasOwn(fault.details, 'reads_up_to');

/** Parses a body; undefined when it is not a JSON object, as after a torn write. */
export const parseBody = (text: string): Content | undefined => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Content) : undefined;
  } catch {
    return undefined;
  }
};

/** An item with an unreadable body: accessing it throws, while the other items of a page stay usable. */
export const damagedItem = (key: Key, revision: number, expires: number | undefined): Item => ({
  key,
  revision,
  expires,
  isDamaged: true,
  get body(): never {
    throw refusal({ what: 'item', cure: BACKUP }, `${key.pk} ${key.sk}`, NO_JSON);
  },
});

const readContent = <T>({ v = 0, ...content }: Content, kind: Stored<T>, name: () => string): T => {
  const current = v === kind.version ? content : upgraded(v, content, kind, name());
  if (kind.guard(current)) return current as T;
  const path = kind.schema.safeParse(current).error?.issues[0]?.path.map(String).join('.');
  throw refusal(kind, name(), `its ${path ? `field ${path}` : 'content'} is missing or of the wrong type`);
};

const upgraded = (v: unknown, content: Content, kind: Kind, name: string): Content => {
  const { version, upgrades = {} } = kind;
  if (typeof v !== 'number' || !Number.isSafeInteger(v)) throw refusal(kind, name, 'its version v is no number');
  if (v > version) throw newer(kind, name, v);
  let current = content;
  for (let at = v; at < version; at++) {
    const upgrade = upgrades[at];
    if (!upgrade) throw refusal(kind, name, at === 0 ? 'its version v is missing' : `version ${at} is unknown`);
    try {
      current = upgrade(current);
    } catch {
      throw refusal(kind, name, `it is not what version ${at} was`);
    }
  }
  return current;
};

const newer = ({ what, version }: Kind, name: string, v: number): Fault =>
  new Fault(
    'Unavailable',
    `the ${what} ${name} was written by a newer release (version ${v}, this one reads up to ${version}): ` +
      'update this installation; nothing was changed',
    { unreadable: name, version: v, reads_up_to: version },
  );

/** The error for an item that matches its schema but is still inconsistent. */
export const unreadable = ({ key }: Pick<Item, 'key'>, kind: Kind, why: string): Fault =>
  refusal(kind, `${key.pk} ${key.sk}`, why);

// Values are not included: an item may hold what the reader must not see.
const refusal = ({ what, cure }: Pick<Kind, 'what' | 'cure'>, name: string, why: string): Fault =>
  new Fault('Unavailable', `the stored ${what} ${name} cannot be read: ${why}; ${cure}; nothing was changed`, {
    unreadable: name,
  });
