import { MAX_FIELDS, tooWide } from './check-json-text.ts';
import { Fault, shorten } from './errors.ts';

interface Limits {
  readonly depth: number;
  /** What messages call the value. */
  readonly what: string;
}

interface Place {
  readonly value: object;
  readonly depth: number;
  readonly name: string | number;
  readonly outer?: Place;
}

/**
 * Refuses data that is nested too deep, has too many fields in one object, has a `__proto__` key or a number that is
 * infinite, as JSON.parse makes of 1e999 and JSON cannot say. It does not recurse.
 */
export const checkShape = (value: unknown, { depth, what }: Limits): void => {
  if (!isNested(value)) return;
  const open: Place[] = [{ value, depth: 0, name: '' }];
  for (let outer = open.pop(); outer; outer = open.pop()) {
    if (outer.depth >= depth)
      throw new Fault(
        'InvalidInput',
        `${what} is nested deeper than ${depth} levels at ${cut(pathOf(outer))}; flatten it`,
        { field: pathOf(outer), limit: depth },
      );
    if (Array.isArray(outer.value)) {
      const list: readonly unknown[] = outer.value;
      for (let name = 0; name < list.length; name++) checkInner(open, outer, name, list[name], what);
    } else checkFields(open, outer, what);
  }
};

const checkFields = (open: Place[], outer: Place, what: string): void => {
  const names = Object.keys(outer.value);
  if (names.length > MAX_FIELDS) throw tooWide(what, cut(pathOf(outer)));
  for (const name of names) {
    if (name === '__proto__') {
      const path = pathOf({ value: {}, depth: 0, name, outer });
      throw new Fault('InvalidInput', `${what} has the key __proto__ at ${cut(path)}; rename it`, { field: path });
    }
    checkInner(open, outer, name, (outer.value as Readonly<Record<string, unknown>>)[name], what);
  }
};

const checkInner = (open: Place[], outer: Place, name: string | number, inner: unknown, what: string): void => {
  if (isNested(inner)) open.push({ value: inner, depth: outer.depth + 1, name, outer });
  else if (isInfinite(inner)) throw tooHuge(what, { value: {}, depth: 0, name, outer });
};

/** Whether a small value is or holds such a number. */
export const hasInfinite = (value: unknown): boolean =>
  isNested(value) ? Object.values(value).some(hasInfinite) : isInfinite(value);

const isInfinite = (value: unknown): boolean => typeof value === 'number' && !Number.isFinite(value);

const tooHuge = (what: string, place: Place): Fault =>
  new Fault(
    'InvalidInput',
    `${what} has a number larger than ${Number.MAX_VALUE} at ${cut(pathOf(place))}; send a smaller one, or a text`,
    { field: pathOf(place), limit: Number.MAX_VALUE },
  );

/** Built only for the place that is refused: a body may have hundreds of thousands of places. */
const pathOf = ({ name, outer }: Place): string => {
  if (outer === undefined) return '';
  const path = pathOf(outer);
  return path === '' ? String(name) : `${path}.${name}`;
};

const isNested = (value: unknown): value is object => typeof value === 'object' && value !== null;

const cut = (path: string): string => shorten(path) || 'the top';
