import { RE2JS } from 're2js';
import { Fault, messageOf } from './errors.ts';

export interface Pattern {
  /** Whether the pattern matches anywhere in the text. */
  test(text: string): boolean;
  /** Whether the pattern matches from the start of the text. */
  startsWith(text: string): boolean;
}

/** Longer ones are not compiled. */
const MAX_PATTERN = 1000;

/** Compiles a pattern with RE2: linear time for any text, no lookaround or back-references. */
export const compilePattern = (source: string, field: string): Pattern => {
  if (source.length > MAX_PATTERN)
    throw new Fault('InvalidInput', `${field} has ${source.length} characters; a pattern may have ${MAX_PATTERN}`, {
      field,
    });
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

/** A JSON Schema's pattern, which is written for ECMA-262; undefined when RE2 cannot run it. */
export const compileSchemaPattern = (source: string): Pattern | undefined => {
  // Both would be translated into something else: a named back-reference, and half a character.
  if (source.length > MAX_PATTERN || /\\k<|\\u[dD][89a-fA-F]/.test(source)) return undefined;
  try {
    return run(RE2JS.translateRegExp(source));
  } catch {
    return undefined;
  }
};

const run = (source: string): Pattern => {
  const compiled = RE2JS.compile(source);
  return {
    test: (text) => compiled.matcher(text).find(),
    startsWith: (text) => compiled.matcher(text).lookingAt(),
  };
};
