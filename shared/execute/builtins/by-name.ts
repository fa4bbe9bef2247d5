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

/** The builtin tools that do no I/O, each asked for when it is needed: no start runs the modules of all. */
export const builtinsByName: Readonly<Record<string, () => Builtin>> = {
  base64: () => base64,
  csv_to_json: () => csvToJson,
  date_math: () => dateMath,
  hash: () => hash,
  json_query: () => jsonQuery,
  json_validate: () => jsonValidate,
  text_diff: () => textDiff,
  text_stats: () => textStats,
  unit_convert: () => unitConvert,
};
