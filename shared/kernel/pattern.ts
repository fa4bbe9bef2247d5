import { RE2JS } from 're2js';
import { Fault, messageOf } from './errors.ts';

export interface Pattern {
  /** Whether the pattern matches anywhere in the text. */
  test(text: string): boolean;
  /** Whether the pattern matches from the start of the text. */
  startsWith(text: string): boolean;
}

/** Compiles a pattern with RE2: linear time for any text, no lookaround or back-references. */
export const compilePattern = (source: string, field: string): Pattern => {
  if (source.length > 1000)
    throw new Fault('InvalidInput', `${field} has ${source.length} characters; a pattern may have 1000`, { field });
  try {
    const compiled = RE2JS.compile(source);
    return {
      test: (text) => compiled.matcher(text).find(),
      startsWith: (text) => compiled.matcher(text).lookingAt(),
    };
  } catch (cause) {
    throw new Fault(
      'InvalidInput',
      `${field} ${JSON.stringify(source)} is not an RE2 pattern (${messageOf(cause)}); lookaround, back-references and repeats over 1000 are not supported`,
      { field, value: source },
      { cause },
    );
  }
};
