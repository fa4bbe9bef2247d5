import type { Builtin } from './builtin.ts';
import { builtinsByName } from './by-name.ts';

/** The builtin tools that do no I/O. */
export const builtins: readonly Builtin[] = Object.values(builtinsByName).map((builtin) => builtin());
