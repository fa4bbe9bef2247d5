/** Node's own headers are loaded with all of fetch, so they are used only for what the plain ones leave to them. */
type Given = HeadersInit | undefined;

const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/**
 * Headers with fetch's interface that do not load fetch, which is a third of a small function's start. Invalid values
 * are passed to the real ones, which throw their own errors.
 */
export class PlainHeaders implements Headers {
  readonly #values = new Map<string, string>();
  #cookies: string[] = [];

  constructor(given?: Given) {
    for (const [name, value] of pairsOf(given)) this.append(name, value);
  }

  append(name: string, value: string): void {
    const [key, text] = normal(name, value);
    if (key === COOKIE) this.#cookies.push(text);
    const before = this.#values.get(key);
    this.#values.set(key, before === undefined ? text : `${before}, ${text}`);
  }

  set(name: string, value: string): void {
    const [key, text] = normal(name, value);
    if (key === COOKIE) this.#cookies = [text];
    this.#values.set(key, text);
  }

  get(name: string): string | null {
    return this.#values.get(normal(name)[0]) ?? null;
  }

  has(name: string): boolean {
    return this.#values.has(normal(name)[0]);
  }

  delete(name: string): void {
    const [key] = normal(name);
    if (key === COOKIE) this.#cookies = [];
    this.#values.delete(key);
  }

  getSetCookie(): string[] {
    return [...this.#cookies];
  }

  forEach(each: (value: string, name: string, parent: Headers) => void, self?: unknown): void {
    for (const [name, value] of this) each.call(self, value, name, this);
  }

  *entries(): HeadersIterator<[string, string]> {
    for (const name of [...this.#values.keys()].sort()) {
      if (name === COOKIE) for (const cookie of this.#cookies) yield [name, cookie];
      else yield [name, this.#values.get(name) ?? ''];
    }
    return undefined;
  }

  *keys(): HeadersIterator<string> {
    for (const [name] of this.entries()) yield name;
    return undefined;
  }

  *values(): HeadersIterator<string> {
    for (const [, value] of this.entries()) yield value;
    return undefined;
  }

  [Symbol.iterator](): HeadersIterator<[string, string]> {
    return this.entries();
  }
}

const COOKIE = 'set-cookie';

/** The name in lower case and the value without surrounding white space; throws what the real headers throw. */
const normal = (name: string, value = ''): readonly [name: string, value: string] => {
  const text = String(value).replaceAll(/^[\t\n\r ]+|[\t\n\r ]+$/g, '');
  if (!NAME.test(name) || !VALUE.test(text)) new Headers().append(name, value);
  return [String(name).toLowerCase(), text];
};

const pairsOf = (given: Given): Iterable<readonly string[] & { 0: string; 1: string }> => {
  if (given === undefined) return [];
  const pairs = Symbol.iterator in given ? [...given] : Object.entries(given);
  if (pairs.some((pair) => pair.length !== 2)) new Headers(given);
  return pairs as [string, string][];
};
