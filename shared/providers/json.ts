export type Schema = Readonly<Record<string, unknown>>;
export type MutableSchema = Record<string, unknown>;

export const isRecord = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const asRecord = (value: unknown): Schema => (isRecord(value) ? value : {});
export const asArray = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
export const asText = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
export const asStrings = (value: unknown): string[] =>
  asArray(value).filter((entry): entry is string => typeof entry === 'string');

/** Sets an own property, even when the key is `__proto__`. */
export function setOwn(target: MutableSchema, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    target[key] = value;
  }
}

/** Reads an own property, never one of the prototype. */
export const own = (target: Schema, key: string): unknown => (Object.hasOwn(target, key) ? target[key] : undefined);

/** A copy of the object without some keys. */
export function without(source: Schema, ...keys: readonly string[]): MutableSchema {
  const rest: MutableSchema = {};
  for (const key in source) {
    if (!keys.includes(key)) setOwn(rest, key, source[key]);
  }
  return rest;
}

/** Whether two JSON values are equal, whatever the order of their keys. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((entry, index) => sameJson(entry, b[index]));
  }
  if (!isRecord(a) || !isRecord(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && sameJson(a[key], b[key]))
  );
}

/**
 * Whether a value is nested deeper than `most` levels; it is walked level by level, so that no depth overflows the
 * stack.
 */
export function isDeeper(value: unknown, most: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > most) return true;
    level = level.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []));
  }
  return false;
}

/** The text of a value, cut to a length that fits a description. */
export function excerpt(value: unknown, length = 300): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing');
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}

/** A step of a JSON Pointer. */
export const step = (key: string | number): string =>
  `/${typeof key === 'string' && /[~/]/.test(key) ? escaped(key) : key}`;

const escaped = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');
