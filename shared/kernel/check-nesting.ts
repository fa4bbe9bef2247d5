import { Fault } from './errors.ts';

interface Limits {
  readonly depth: number;
  /** What messages call the value. */
  readonly what: string;
}

/** An object with more fields takes the event loop tens of milliseconds in each check and in its refusal. */
const MAX_FIELDS = 20_000;

interface Place {
  readonly value: object;
  readonly depth: number;
  readonly name: string | number;
  readonly outer?: Place;
}

/** Refuses data that is nested too deep, has too many fields in one object or has a `__proto__` key, without recursing. */
export const checkShape = (value: unknown, { depth, what }: Limits): void => {
  if (!isNested(value)) return;
  const open: Place[] = [{ value, depth: 0, name: '' }];
  for (let next = open.pop(); next; next = open.pop()) {
    const outer = next;
    if (outer.depth >= depth)
      throw new Fault(
        'InvalidInput',
        `${what} is nested deeper than ${depth} levels at ${cut(pathOf(outer))}; flatten it`,
        { field: pathOf(outer), limit: depth },
      );
    if (Array.isArray(outer.value)) {
      const list: readonly unknown[] = outer.value;
      for (let name = 0; name < list.length; name++) {
        const inner = list[name];
        if (isNested(inner)) open.push({ value: inner, depth: outer.depth + 1, name, outer });
      }
      continue;
    }
    const names = Object.keys(outer.value);
    if (names.length > MAX_FIELDS) throw tooWide(what, pathOf(outer));
    for (const name of names) {
      const inner = (outer.value as Readonly<Record<string, unknown>>)[name];
      if (name === '__proto__') {
        const path = pathOf({ value: {}, depth: 0, name, outer });
        throw new Fault('InvalidInput', `${what} has the key __proto__ at ${cut(path)}; rename it`, { field: path });
      }
      if (isNested(inner)) open.push({ value: inner, depth: outer.depth + 1, name, outer });
    }
  }
};

/** Made for the one place that is refused: a body may have hundreds of thousands. */
const pathOf = ({ name, outer }: Place): string => {
  if (outer === undefined) return '';
  const path = pathOf(outer);
  return path === '' ? String(name) : `${path}.${name}`;
};

const [QUOTE, BACKSLASH, COLON, OPEN, CLOSE] = [34, 92, 58, 123, 125];

/**
 * Refuses JSON that has too many fields in one object, by its text: parsing hundreds of thousands of names alone takes
 * the event loop as long as it may take in all.
 */
export const checkWidth = (text: string, what: string): void => {
  // So many fields are at least so long.
  if (text.length < 4 * MAX_FIELDS || !hasMoreColons(text, MAX_FIELDS)) return;
  const outer: number[] = [];
  let fields = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === COLON && ++fields > MAX_FIELDS) throw tooWide(what, '');
    else if (code === OPEN) {
      outer.push(fields);
      fields = 0;
    } else if (code === CLOSE) fields = outer.pop() ?? 0;
  }
};

/** Most large bodies are one long list or text, and looking for one character takes next to nothing. */
const hasMoreColons = (text: string, most: number): boolean => {
  let at = -1;
  for (let found = 0; found <= most; found++) {
    at = text.indexOf(':', at + 1);
    if (at < 0) return false;
  }
  return true;
};

/** Where the quote is that ends a string. */
const endOfString = (text: string, start: number): number => {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code === BACKSLASH) at++;
  }
  return text.length;
};

const tooWide = (what: string, path: string): Fault =>
  new Fault(
    'TooLarge',
    `${what} has more than ${MAX_FIELDS} fields in one object${path === '' ? '' : `, at ${cut(path)}`}; send a list instead`,
    { field: path, limit: MAX_FIELDS },
  );

const isNested = (value: unknown): value is object => typeof value === 'object' && value !== null;

const cut = (path: string): string => (path.length > 80 ? `${path.slice(0, 80)}...` : path || 'the top');
