import { LRUCache } from 'lru-cache';
import { RE2JS } from 're2js';
import { Fault, messageOf } from './errors.ts';

export interface Pattern {
  /** Whether the pattern matches anywhere in the text. */
  test(text: string): boolean;
  /** Whether the pattern matches from the start of the text. */
  startsWith(text: string): boolean;
  /** The steps that a character of a text takes, at most. */
  readonly weight: number;
}

/** Longer ones are not compiled. */
const MAX_PATTERN = 1000;

/** How large the program of a pattern may become, which is written out once for each repetition. */
const MAX_WEIGHT = 50_000;
/** A filter is tried on one name after the other, where nothing interrupts it. */
const MAX_FILTER_WEIGHT = 2000;

/** At least as many instructions as the pattern's program has. */
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

/** A JSON Schema's pattern, which is written for ECMA-262; undefined when RE2 cannot run it. */
export const compileSchemaPattern = (source: string): Pattern | undefined => {
  const known = compiled.get(source) ?? { pattern: translate(source) };
  compiled.set(source, known, { size: weightOfPattern(source) + 1 });
  return known.pattern;
};

const translate = (source: string): Pattern | undefined => {
  // Both would be translated into something else: a named back-reference, and half a character.
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
