import { Fault } from './errors.ts';

interface Limits {
  readonly depth: number;
  /** What messages call the value. */
  readonly what: string;
}

/** An object with more fields takes the event loop tens of milliseconds in each check and in its refusal. */
const MAX_FIELDS = 50_000;

/** Refuses data that is nested too deep, has too many fields in one object or has a `__proto__` key, without recursing. */
export const checkShape = (value: unknown, { depth, what }: Limits): void => {
  if (!isNested(value)) return;
  const open: { readonly value: object; readonly path: string; readonly depth: number }[] = [
    { value, path: '', depth: 0 },
  ];
  for (let next = open.pop(); next; next = open.pop()) {
    if (next.depth >= depth)
      throw new Fault(
        'InvalidInput',
        `${what} is nested deeper than ${depth} levels at ${cut(next.path)}; flatten it`,
        {
          field: next.path,
          limit: depth,
        },
      );
    const entries = Object.entries(next.value);
    if (entries.length > MAX_FIELDS && !Array.isArray(next.value))
      throw new Fault(
        'TooLarge',
        `${what} has ${entries.length} fields at ${cut(next.path)}; the limit is ${MAX_FIELDS}: send a list instead`,
        { field: next.path, limit: MAX_FIELDS },
      );
    for (const [key, inner] of entries) {
      if (key !== '__proto__' && !isNested(inner)) continue;
      const path = next.path === '' ? key : `${next.path}.${key}`;
      if (key === '__proto__')
        throw new Fault('InvalidInput', `${what} has the key __proto__ at ${cut(path)}; rename it`, { field: path });
      open.push({ value: inner, path, depth: next.depth + 1 });
    }
  }
};

const isNested = (value: unknown): value is object => typeof value === 'object' && value !== null;

const cut = (path: string): string => (path.length > 80 ? `${path.slice(0, 80)}...` : path || 'the top');
