import { canonicalJson } from '../kernel/canonical-json.ts';
import { isObject, type JsonObject } from '../kernel/json.ts';

/** The kinds of change in a schema, worst last. `words`: only texts that describe it. */
export type SchemaChange = 'same' | 'words' | 'additive' | 'breaking';

const rank: Readonly<Record<SchemaChange, number>> = { same: 0, words: 1, additive: 2, breaking: 3 };

/** All kinds of change in a schema. */
export type SchemaChanges = ReadonlySet<Exclude<SchemaChange, 'same'>>;

/**
 * What changed from one input schema to the next. Additive means that arguments valid under the old schema are valid
 * under the new one. Changes that cannot be judged keyword by keyword are breaking.
 */
export const schemaChanges = (before: unknown, after: unknown): SchemaChanges => {
  const found = new Set<Exclude<SchemaChange, 'same'>>();
  compare(before, after, (change) => void (change !== 'same' && found.add(change)));
  return found;
};

/** The worst of several changes. */
export const worstChange = (changes: SchemaChanges): SchemaChange =>
  [...changes].reduce<SchemaChange>((worst, change) => (rank[change] > rank[worst] ? change : worst), 'same');

type Note = (change: SchemaChange) => void;

/** Keywords that describe a value and restrict none. */
const words = new Set([
  'title',
  'description',
  'examples',
  '$comment',
  'deprecated',
  'readOnly',
  'writeOnly',
  '$schema',
]);

const compare = (before: unknown, after: unknown, note: Note): void => {
  if (before === after || canonicalJson(before) === canonicalJson(after)) return;
  if (!isObject(before) || !isObject(after)) {
    note(before === false || isOpen(after) ? 'additive' : 'breaking');
    return;
  }
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (canonicalJson(before[key]) === canonicalJson(after[key])) continue;
    if (words.has(key)) note('words');
    else (keywords[key] ?? undecided)(before[key], after[key], note, before, after);
  }
};

/** Whether a schema accepts every value. */
const isOpen = (schema: unknown): boolean =>
  schema === undefined || schema === true || (isObject(schema) && Object.keys(schema).every((key) => words.has(key)));

type Keyword = (before: unknown, after: unknown, note: Note, from: JsonObject, to: JsonObject) => void;

const undecided: Keyword = (_, __, note) => note('breaking');

/** A keyword whose absence restricts nothing: additive when it was removed, or when the new value allows more. */
const loosened =
  (allowsMore: (before: unknown, after: unknown) => boolean): Keyword =>
  (before, after, note) => {
    const isLooser = after === undefined || (before !== undefined && allowsMore(before, after));
    note(isLooser ? 'additive' : 'breaking');
  };

const lower = loosened((before, after) => Number(after) <= Number(before));
const higher = loosened((before, after) => Number(after) >= Number(before));

const properties: Keyword = (before, after, note) => {
  const [old, now] = [isObject(before) ? before : {}, isObject(after) ? after : {}];
  for (const key of new Set([...Object.keys(old), ...Object.keys(now)])) {
    if (!Object.hasOwn(now, key)) note('breaking');
    else if (!Object.hasOwn(old, key)) note('additive');
    else compare(old[key], now[key], note);
  }
};

/** A subschema, which accepts everything when absent. */
const inner: Keyword = (before, after, note) => {
  if (after === undefined) return note('additive');
  if (before === undefined) return note(isOpen(after) ? 'same' : 'breaking');
  compare(before, after, note);
};

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);

const keywords: Readonly<Record<string, Keyword | undefined>> = {
  properties,
  $defs: properties,
  definitions: properties,
  items: inner,
  additionalProperties: inner,
  contains: undecided,
  required: (before, after, note) => {
    const old = new Set(listOf(before ?? []));
    note(listOf(after ?? []).every((name) => old.has(name)) ? 'additive' : 'breaking');
  },
  enum: loosened((before, after) => {
    const now = new Set(listOf(after).map(canonicalJson));
    return listOf(before).every((value) => now.has(canonicalJson(value)));
  }),
  type: loosened((before, after) => {
    const now = new Set(listOf(after));
    return listOf(before).every((type) => now.has(type) || (type === 'integer' && now.has('number')));
  }),
  minimum: lower,
  exclusiveMinimum: lower,
  minLength: lower,
  minItems: lower,
  minProperties: lower,
  maximum: higher,
  exclusiveMaximum: higher,
  maxLength: higher,
  maxItems: higher,
  maxProperties: higher,
  uniqueItems: loosened((_, after) => after === false),
};
