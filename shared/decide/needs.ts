import { isObject, type JsonObject } from '../kernel/json.ts';
import type { Profile } from '../search/profile.ts';
import { splitIdentifier } from '../search/text.ts';
import { type Extraction, extract } from './arguments/extract.ts';
import type { Source } from './arguments/proposal.ts';
import type { Reading } from './arguments/reading.ts';
import { type Slot, slotsOf } from './arguments/slot.ts';
import type { SpanKind } from './arguments/span.ts';
import { tellingWords } from './telling-words.ts';

/** How a tool's parameters and what a request gives go together. */
export interface Needs {
  readonly slots: readonly Slot[];
  readonly found: ReadonlyMap<string, Extraction>;
  /** Share of the required parameters that the request does not give. */
  readonly missing: number;
  /** How surely the required parameters were found. */
  readonly sure: number;
  /** 1 when nothing is required. */
  readonly undemanding: number;
  /** How much of the request the tool's text and the values explain. */
  readonly explained: number;
  /** How many of the values are of a kind that few parameters take. */
  readonly typed: number;
  /** By parameter, the chance that it is as meant, filled or left open. */
  readonly chances: ReadonlyMap<string, number>;
  /** What kinds of values the request has that no parameter took. */
  readonly unused: readonly SpanKind[];
  /** By how much the next best way to give the values to parameters is worse, in log odds; asked for the best tool only. */
  readonly contest: () => number;
  /** As `chances`, given that all other parameters are as meant; asked for the best tool only. */
  readonly freeChances: () => ReadonlyMap<string, number>;
}

/** `context` holds values given beside the task. */
export const needsOf = (
  profile: Profile,
  reading: Reading,
  context: JsonObject = {},
  weights?: Readonly<Record<string, number>>,
): Needs => {
  const slots = slotsFor(profile);
  const { found, chances, unused, contest, freeChances } = extract(
    slots,
    reading,
    new Set(profile.purpose.map(({ term }) => term)),
    weights,
  );
  const required = slots.filter((slot) => slot.required);
  const confidenceOf = (slot: Slot): number | undefined =>
    (found.get(slot.name) ?? fromContext(slot, context))?.confidence;
  const given = required.filter((slot) => confidenceOf(slot) !== undefined);
  return {
    slots,
    found,
    chances,
    contest,
    freeChances,
    unused: unused.map(({ kind }) => kind),
    explained: explainedBy(profile, [...found.values()], reading),
    typed: typedShare([...found.values()]),
    undemanding: required.length === 0 ? 1 : 0,
    missing: required.length === 0 ? 0 : 1 - given.length / required.length,
    sure: given.length === 0 ? 0 : given.reduce((sum, slot) => sum + (confidenceOf(slot) ?? 0), 0) / required.length,
  };
};

/** The share of the words of a request, common ones counting less, that the tool's text or a value has. */
const explainedBy = (profile: Profile, values: readonly Extraction[], reading: Reading): number => {
  let [all, met] = [0, 0];
  for (const { term, worth, start, end } of tellingWords(reading)) {
    all += worth;
    const taken = values.some(({ at }) => at !== undefined && at.start < end && start < at.end);
    if (taken || profile.all.has(term)) met += worth;
  }
  return all === 0 ? 0 : met / all;
};

const typedShare = (values: readonly Extraction[]): number => {
  const typed = values.filter(({ source }) => source !== undefined && TYPED.has(source));
  return Math.min(1, typed.reduce((sum, { confidence }) => sum + confidence, 0) / 3);
};
const TYPED: ReadonlySet<Source> = new Set<Source>([
  'named',
  'path',
  'email',
  'url',
  'moment',
  'choice',
  'choice_list',
  'literal',
  'phone',
]);

/** A value of the context for a parameter of its name and type. */
export const fromContext = (slot: Slot, context: JsonObject): Extraction | undefined => {
  const wanted = splitIdentifier(slot.name).join('');
  for (const [key, value] of Object.entries(context)) {
    if (splitIdentifier(key).join('') === wanted && hasType(slot, value))
      return { value, confidence: 0.9, from: `context ${key}` };
  }
  return undefined;
};

const hasType = ({ type }: Slot, value: unknown): boolean => {
  if (type === 'any') return true;
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'array') return Array.isArray(value);
  return type === 'object' ? isObject(value) : typeof value === type;
};

const slotsFor = (profile: Profile): readonly Slot[] => {
  const known = slotLists.get(profile);
  if (known !== undefined) return known;
  const all = slotsOf(profile.tool.parameters);
  const slots = [...all.filter(({ required }) => required), ...all.filter(({ required }) => !required)];
  slotLists.set(profile, slots);
  return slots;
};
const slotLists = new WeakMap<Profile, readonly Slot[]>();
