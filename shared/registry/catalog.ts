import type { Fault } from '../kernel/errors.ts';
import type { Family } from '../model/registration.ts';
import type { Tool } from '../model/tool.ts';
import { createEntry, type Entry } from './entry.ts';
import { type Filter, matches } from './filter.ts';
import type { UnreadableFamily } from './read-families.ts';
import { SortedNames } from './sorted-names.ts';

/** The read-only tools that every tenant sees, by name. */
export type Layer = ReadonlyMap<string, Family>;

export interface ListQuery {
  readonly filter?: Filter;
  readonly includeDisabled?: boolean;
  /** Exclusive: the name to continue after. */
  readonly after?: string;
  readonly limit?: number;
}

export interface Listing {
  readonly entries: readonly Entry[];
  /** The name to continue after; absent on the last page. */
  readonly next?: string;
}

// Limits of a pattern filter per page: names tried and steps taken. Then the page ends early, with a cursor.
const MAX_SCANNED = 20_000;
const MAX_STEPS = 1_000_000;

/**
 * One tenant's tools in memory. Entries are immutable; a changed family replaces its entry in one synchronous step, so
 * the cost does not grow with the catalogue.
 */
export class Catalog {
  readonly #layer: Layer;
  readonly #own = new Map<string, Family>();
  readonly #unreadable = new Map<string, Fault>();
  readonly #entries = new Map<string, Entry>();
  readonly #names = new SortedNames();
  readonly #byTag = new Map<string, SortedNames>();
  readonly #byCategory = new Map<string, SortedNames>();
  #revision = 0;

  constructor(layer: Layer, own: Iterable<Family | UnreadableFamily> = [], revision = 0) {
    this.#layer = layer;
    for (const family of own) this.#keep(family);
    this.#refresh([...new Set([...layer.keys(), ...this.#own.keys()])]);
    this.#revision = revision;
  }

  get revision(): number {
    return this.#revision;
  }

  get size(): number {
    return this.#entries.size;
  }

  get layer(): Layer {
    return this.#layer;
  }

  /** What the tenant itself stores: its own tools, and the shipped ones it disabled. */
  get own(): ReadonlyMap<string, Family> {
    return this.#own;
  }

  get(name: string): Entry | undefined {
    return this.#entries.get(name);
  }

  /** Like `get`, but throws where a tool of this name is stored but unreadable. */
  find(name: string): Entry | undefined {
    const fault = this.#unreadable.get(name);
    if (fault) throw fault;
    return this.#entries.get(name);
  }

  names(): readonly string[] {
    return this.#names.all;
  }

  /** Replaces families by their stored state; undefined means removed. */
  apply(changes: ReadonlyMap<string, Family | UnreadableFamily | undefined>, revision: number): void {
    for (const [name, family] of changes) {
      this.#own.delete(name);
      this.#unreadable.delete(name);
      if (family) this.#keep(family);
    }
    this.#refresh([...changes.keys()]);
    this.#revision = revision;
  }

  list({ filter = {}, includeDisabled = false, after, limit = 100 }: ListQuery = {}): Listing {
    const names = this.#candidates(filter);
    const entries: Entry[] = [];
    const start = after === undefined ? 0 : names.indexAfter(after);
    const end = filter.name === undefined ? names.all.length : Math.min(names.all.length, start + MAX_SCANNED);
    let left = MAX_STEPS;
    for (let index = start; index < end; index++) {
      const name = names.all[index] ?? '';
      if (left < 0) return { entries, next: names.all[index - 1] ?? name };
      left -= name.length * (filter.name?.weight ?? 0);
      const entry = this.#entries.get(name);
      if (!entry || !(includeDisabled || entry.family.enabled) || !matches(entry.record.spec, filter)) continue;
      if (entries.length === limit) return { entries, next: entries.at(-1)?.family.name ?? name };
      entries.push(entry);
    }
    const last = names.all[end - 1];
    return end < names.all.length && last !== undefined ? { entries, next: last } : { entries };
  }

  /** All specs that may be offered to a model, in order. */
  tools(allowed?: ReadonlySet<string>): readonly Tool[] {
    const { entries } = this.list({ filter: { allowed }, limit: Number.POSITIVE_INFINITY });
    return entries.map(({ record }) => record.spec);
  }

  #candidates({ allowed, tags, category }: Filter): SortedNames {
    const none = new SortedNames();
    const lists = (tags ?? []).map((tag) => this.#byTag.get(tag) ?? none);
    if (category !== undefined) lists.push(this.#byCategory.get(category) ?? none);
    if (allowed && allowed.size < this.#names.all.length) {
      none.add([...allowed].filter((name) => this.#entries.has(name)));
      return none;
    }
    return lists.reduce((best, list) => (list.all.length < best.all.length ? list : best), this.#names);
  }

  #refresh(names: readonly string[]): void {
    const added: Entry[] = [];
    for (const name of names) {
      this.#unlink(name);
      const entry = this.#compose(name);
      if (entry) added.push(entry);
    }
    for (const entry of added) this.#entries.set(entry.family.name, entry);
    this.#names.add(added.map(({ family }) => family.name));
    link(this.#byTag, added, ({ tags }) => tags);
    link(this.#byCategory, added, ({ category }) => (category === undefined ? [] : [category]));
  }

  #unlink(name: string): void {
    const entry = this.#entries.get(name);
    if (!entry) return;
    this.#entries.delete(name);
    this.#names.remove(name);
    for (const tag of entry.record.spec.tags) this.#byTag.get(tag)?.remove(name);
    this.#byCategory.get(entry.record.spec.category ?? '')?.remove(name);
  }

  #keep(family: Family | UnreadableFamily): void {
    if ('fault' in family) this.#unreadable.set(family.name, family.fault);
    else this.#own.set(family.name, family);
  }

  #compose(name: string): Entry | undefined {
    // An unreadable family may disable or override a shipped tool.
    if (this.#unreadable.has(name)) return undefined;
    const own = this.#own.get(name);
    const shipped = this.#layer.get(name);
    if (own && own.versions.length > 0) return createEntry(own, false);
    return shipped && createEntry(own ? { ...shipped, enabled: own.enabled } : shipped, true);
  }
}

const link = (
  index: Map<string, SortedNames>,
  entries: readonly Entry[],
  wordsOf: (tool: Tool) => readonly string[],
) => {
  const byWord = new Map<string, string[]>();
  for (const { family, record } of entries)
    for (const word of wordsOf(record.spec)) {
      const names = byWord.get(word);
      if (names) names.push(family.name);
      else byWord.set(word, [family.name]);
    }
  for (const [word, names] of byWord) {
    const list = index.get(word) ?? new SortedNames();
    list.add(names);
    index.set(word, list);
  }
};
