import { isObject, type JsonObject } from '../kernel/json.ts';
import type { Profile } from '../search/profile.ts';
import { splitIdentifier } from '../search/text.ts';
import { type Extraction, extract } from './arguments/extract.ts';
import type { Reading } from './arguments/reading.ts';
import { type Slot, slotsOf } from './arguments/slot.ts';

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
}

/** `context` are values at hand beside the task. */
export const needsOf = (profile: Profile, reading: Reading, context: JsonObject = {}): Needs => {
  const slots = slotsFor(profile);
  const found = extract(slots, reading, new Set(profile.purpose.map(({ term }) => term)));
  const required = slots.filter((slot) => slot.required);
  const confidenceOf = (slot: Slot): number | undefined =>
    (found.get(slot.name) ?? fromContext(slot, context))?.confidence;
  const given = required.filter((slot) => confidenceOf(slot) !== undefined);
  return {
    slots,
    found,
    undemanding: required.length === 0 ? 1 : 0,
    missing: required.length === 0 ? 0 : 1 - given.length / required.length,
    sure: given.length === 0 ? 0 : given.reduce((sum, slot) => sum + (confidenceOf(slot) ?? 0), 0) / required.length,
  };
};

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
  const slots = [...all.filter(({ required }) => required), ...all.filter(({ required }) => !required)].slice(
    0,
    SLOT_LIMIT,
  );
  slotLists.set(profile, slots);
  return slots;
};
/** More parameters than this are not filled from one task. */
const SLOT_LIMIT = 80;
const slotLists = new WeakMap<Profile, readonly Slot[]>();
