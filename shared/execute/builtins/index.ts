import { base64 } from './base64.ts';
import type { Builtin } from './builtin.ts';
import { csvToJson } from './csv-to-json.ts';
import { dateMath } from './date-math.ts';
import { hash } from './hash.ts';
import { jsonQuery } from './json-query.ts';
import { jsonValidate } from './json-validate.ts';
import { textDiff } from './text-diff.ts';
import { textStats } from './text-stats.ts';
import { unitConvert } from './unit-convert.ts';

/** The builtin tools that do no I/O. */
export const builtins: readonly Builtin[] = [
  base64,
  csvToJson,
  dateMath,
  hash,
  jsonQuery,
  jsonValidate,
  textDiff,
  textStats,
  unitConvert,
];
