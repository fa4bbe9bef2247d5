import type { Extraction } from './extract.ts';
import { requiredFirst, type Slot } from './slot.ts';

/** A parameter that is filled with one value, and its path through the objects that contain it. */
export interface Leaf {
  readonly slot: Slot;
  readonly path: readonly string[];
}

/** The parameters of a tool with those of its objects flattened, so that all are filled alike. */
export const leavesOf = (slots: readonly Slot[]): readonly Leaf[] =>
  requiredFirst(leavesIn(slots), ({ slot }) => slot.required);

const leavesIn = (slots: readonly Slot[], path: readonly string[] = [], required = true): readonly Leaf[] =>
  slots.flatMap((slot): readonly Leaf[] => {
    const own = [...path, slot.name];
    const needed = slot.required && required;
    if (slot.type === 'object' && (slot.properties?.length ?? 0) > 0 && path.length < DEEPEST)
      return leavesIn(slot.properties ?? [], own, needed);
    return [{ slot: slot.required === needed ? slot : { ...slot, required: needed }, path: own }];
  });

/** Puts the values of leaves back into their objects; an object without a required property is left out. */
export const rebuilt = (
  slots: readonly Slot[],
  leaves: readonly Leaf[],
  values: ReadonlyMap<Leaf, Extraction>,
): ReadonlyMap<string, Extraction> => {
  const byPath = new Map(leaves.map((leaf) => [leaf.path.join('\n'), values.get(leaf)]));
  const found = new Map<string, Extraction>();
  for (const slot of slots) {
    const extraction = valueAt(slot, [slot.name], byPath);
    if (extraction !== undefined) found.set(slot.name, extraction);
  }
  return found;
};

const valueAt = (
  slot: Slot,
  path: readonly string[],
  byPath: ReadonlyMap<string, Extraction | undefined>,
): Extraction | undefined => {
  const key = path.join('\n');
  if (byPath.has(key)) return byPath.get(key);
  const parts = (slot.properties ?? []).map((part) => ({ part, inner: valueAt(part, [...path, part.name], byPath) }));
  const given = parts.flatMap(({ part, inner }) => (inner === undefined ? [] : [{ name: part.name, inner }]));
  if (given.length === 0 || parts.some(({ part, inner }) => part.required && inner === undefined)) return undefined;
  return {
    value: Object.fromEntries(given.map(({ name, inner }) => [name, inner.value])),
    confidence: given.reduce((product, { inner }) => product * inner.confidence, 1),
    from: given.map(({ inner }) => inner.from).join(', '),
    how: given.map(({ inner }) => inner.how).find((how) => how !== undefined),
    source: given[0]?.inner.source,
    at: {
      start: Math.min(...given.map(({ inner }) => inner.at?.start ?? 0)),
      end: Math.max(...given.map(({ inner }) => inner.at?.end ?? 0)),
    },
  };
};

const DEEPEST = 3;
