import { createHash } from 'node:crypto';

const MARK = '__';
const HASH_LENGTH = 13;
const LONGEST = 64;
const ENCODED = /__[0-9a-z]{13}$/;

/** The function names that most providers accept. */
export const FUNCTION_NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/**
 * The name under which a provider knows a tool or a property. Names that it accepts are unchanged; others become a
 * readable prefix and a hash of the whole name, so the encoding is stable and depends on the name alone.
 */
export function encodeName(name: string, allowed: RegExp): string {
  // A name that only looks encoded is encoded too, so that no two names can collide.
  if (allowed.test(name) && !ENCODED.test(name)) return name;
  const readable = name.replace(/[^A-Za-z0-9_]/g, '_').slice(0, LONGEST - MARK.length - HASH_LENGTH);
  const start = /^[A-Za-z_]/.test(readable) ? readable : `_${readable}`.slice(0, LONGEST - MARK.length - HASH_LENGTH);
  return `${start}${MARK}${hash(name)}`;
}

/** Maps the encoded names back to our tools, with one lookup per name. */
export function decodeTable(names: Iterable<string>, allowed: RegExp): ReadonlyMap<string, string> {
  const table = new Map<string, string>();
  for (const name of names) {
    const encoded = encodeName(name, allowed);
    if (!table.has(encoded)) table.set(encoded, name);
  }
  return table;
}

/** The first 64 bits of SHA-256 in base 36. */
const hash = (name: string): string =>
  createHash('sha256').update(name).digest().readBigUInt64BE().toString(36).padStart(HASH_LENGTH, '0');
