import { LRUCache } from 'lru-cache';
import { RE2JS } from 're2js';
import { Fault, messageOf } from './errors.ts';

export interface Pattern {
  /** Whether the pattern matches anywhere in the text. */
  test(text: string): boolean;
  /** Whether the pattern matches from the start of the text. */
  startsWith(text: string): boolean;
  /** The most steps that one character of a text can take. */
  readonly weight: number;
}

/** Longer patterns are not compiled. */
const MAX_PATTERN = 1000;

/** The largest compiled program of a pattern: each repetition is expanded. */
const MAX_WEIGHT = 50_000;
/** Lower for filters, which run on name after name without a watchdog. */
const MAX_FILTER_WEIGHT = 2000;

/** An upper bound on the instructions of a pattern's compiled program. */
export const weightOfPattern = (source: string): number => {
  const counts = source.matchAll(/\{(\d+)(?:,(\d*))?\}/g).map(([, least, most]) => Number(most || least));
  return source.length * (1 + counts.reduce((sum, count) => sum + count, 0));
};

/** Compiles the pattern of a filter with RE2: linear time for any text, no lookaround or back-references. */
export const compilePattern = (source: string, field: string): Pattern => {
  if (source.length > MAX_PATTERN)
    throw new Fault('InvalidInput', `${field} has ${source.length} characters; a pattern may have ${MAX_PATTERN}`, {
      field,
    });
  if (weightOfPattern(source) > MAX_FILTER_WEIGHT)
    throw new Fault(
      'InvalidInput',
      `${field} ${JSON.stringify(source.slice(0, 80))} repeats too much; shorten it, or repeat with * or +`,
      { field, limit: MAX_FILTER_WEIGHT },
    );
  try {
    return run(source);
  } catch (cause) {
    throw new Fault(
      'InvalidInput',
      `${field} ${JSON.stringify(source)} is not an RE2 pattern (${messageOf(cause)}); lookaround, back-references and repeats over 1000 are not supported`,
      { field, value: source },
      { cause },
    );
  }
};

const compiled = new LRUCache<string, { readonly pattern: Pattern | undefined }>({ max: 1000, maxSize: 200_000 });

/** Compiles a pattern of a JSON Schema, which is written for ECMA-262; undefined when RE2 cannot run it. */
export const compileSchemaPattern = (source: string): Pattern | undefined => {
  const known = compiled.get(source) ?? { pattern: translate(source) };
  compiled.set(source, known, { size: weightOfPattern(source) + 1 });
  return known.pattern;
};

const translate = (source: string): Pattern | undefined => {
  // RE2 would translate both wrongly: a named back-reference, and half of a surrogate pair.
  if (source.length > MAX_PATTERN || weightOfPattern(source) > MAX_WEIGHT || /\\k<|\\u[dD][89a-fA-F]/.test(source))
    return undefined;
  try {
    return run(RE2JS.translateRegExp(source));
  } catch {
    return undefined;
  }
};

const run = (source: string): Pattern => {
  const program = RE2JS.compile(source);
  return {
    test: (text) => program.matcher(text).find(),
    startsWith: (text) => program.matcher(text).lookingAt(),
    weight: weightOfPattern(source),
  };
};
