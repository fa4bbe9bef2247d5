import { asArray, asRecord, asStrings, isRecord, type MutableSchema, type Schema, setOwn, without } from '../json.ts';
import { withNull } from './annotate.ts';
import { type DialectConversion, into, outputKey, type SchemaLocation, unfit, warn } from './conversion.ts';
import type { Dialect } from './dialect.ts';
import { describeConstraint } from './hints.ts';
import { isWithin, keywords, type TypeName, typeOf, words } from './keywords.ts';
import { HINTS } from './merge.ts';

const COUNTS = words('minItems maxItems minLength maxLength minProperties maxProperties');

/** Converts the keywords of an object: its properties, which are required, and whether others are allowed. */
export function objectKeywords(node: Schema, place: SchemaLocation, run: DialectConversion): MutableSchema {
  const { dialect } = run;
  const out: MutableSchema = { type: 'object' };
  const required = new Set(asStrings(node.required));
  const declared = withRequired(node, required, place, run);
  const properties: MutableSchema = {};
  const names: string[] = [];
  for (const key of Object.keys(declared)) {
    const isRequired = required.has(key);
    const schema = declared[key];
    if (schema === false) {
      forbid(key, isRequired, node, place, run, out);
      continue;
    }
    const here = into(place, 'properties', key, !isRequired);
    const name = dialect.keys ? outputKey(run, here, key) : key;
    const adapted = run.adapt(schema, here);
    setOwn(properties, name, dialect.allRequired && !isRequired ? withNull(adapted, dialect) : adapted);
    if (dialect.allRequired || isRequired) names.push(name);
  }
  out.properties = properties;
  if (names.length > 0) out.required = names;
  restOfObject(node, place, run, out);
  remaining(node, 'object', place, run, out);
  members(node, 'object', place, run, out);
  if (dialect.nullableFlag && isEmpty(properties)) delete out.properties;
  return out;
}

const isEmpty = (value: Schema): boolean => {
  for (const _ in value) return false;
  return true;
};

/** Declares every required key; one without a declaration gets the schema of additional properties. */
function withRequired(
  node: Schema,
  required: ReadonlySet<string>,
  place: SchemaLocation,
  run: DialectConversion,
): Schema {
  const declared = asRecord(node.properties);
  let all: MutableSchema | undefined;
  for (const key of required) {
    if (Object.hasOwn(declared, key)) continue;
    if (node.additionalProperties === false && !Object.hasOwn(node, 'patternProperties')) impossible(key, place, run);
    all ??= { ...declared };
    setOwn(all, key, isRecord(node.additionalProperties) ? node.additionalProperties : {});
  }
  return all ?? declared;
}

function impossible(key: string, place: SchemaLocation, run: DialectConversion): void {
  const message = `${JSON.stringify(key)} is required, but not allowed`;
  if (run.dialect.closed) unfit(place, message);
  warn(run, place, message);
}

/** Forbids a key; a closed object does so by not declaring it. */
function forbid(
  key: string,
  isRequired: boolean,
  node: Schema,
  place: SchemaLocation,
  run: DialectConversion,
  out: MutableSchema,
): void {
  if (isRequired) impossible(key, place, run);
  if (run.dialect.closed || node.additionalProperties === false) return;
  lose(run, place, out, `${JSON.stringify(key)}: false`, `No key ${JSON.stringify(key)}.`);
}

function restOfObject(node: Schema, place: SchemaLocation, run: DialectConversion, out: MutableSchema): void {
  const { dialect } = run;
  const rest = node.additionalProperties;
  if (dialect.closed) {
    const isMap =
      rest === true ||
      isRecord(rest) ||
      (rest === undefined && isEmpty(asRecord(out.properties))) ||
      Object.hasOwn(node, 'patternProperties');
    if (isMap) unfit(place, 'an object that takes further keys has no strict form');
    out.additionalProperties = false;
  } else if (isRecord(rest) && !isEmpty(rest)) {
    if (dialect.keywords.has('additionalProperties'))
      out.additionalProperties = run.adapt(rest, into(place, 'additionalProperties'));
    else lose(run, place, out, 'additionalProperties', describeConstraint('additionalProperties', rest));
  } else if (rest === false) {
    if (dialect.keywords.has('additionalProperties')) out.additionalProperties = false;
    // Not described: models rarely invent keys where some are declared, and the tool refuses unknown ones.
    else if (!run.warnings.some(({ message }) => message === CLOSED)) warn(run, place, CLOSED);
  }
}

const CLOSED = 'additionalProperties: false is left out; a call with other keys is refused when it is validated';

/** Converts the keywords of a list; every list declares its items. */
export function arrayKeywords(node: Schema, place: SchemaLocation, run: DialectConversion): MutableSchema {
  const { dialect } = run;
  const out: MutableSchema = { type: 'array' };
  const prefix = asArray(node.prefixItems);
  const most = Number(node.maxItems ?? Number.POSITIVE_INFINITY);
  const rest = node.items === false ? { ...node, maxItems: Math.min(prefix.length, most) } : node;
  const items = node.items === false ? [] : [node.items ?? true];
  if (prefix.length > 0 && dialect.keywords.has('prefixItems')) {
    out.prefixItems = prefix.map((schema, index) => run.adapt(schema, into(place, 'prefixItems', index)));
    if (items.length > 0 && node.items !== undefined) out.items = run.adapt(node.items, into(place, 'items'));
  } else if (prefix.length > 0) {
    lose(run, place, out, 'prefixItems', describeConstraint('prefixItems', prefix));
    const isOpenEnded = node.items === undefined && most > prefix.length;
    if (isOpenEnded) warn(run, place, 'items after the listed ones take one of their forms', 'narrowed');
    const forms = node.items === undefined ? prefix : [...prefix, ...items];
    out.items = run.adapt(forms.length === 1 ? forms[0] : { anyOf: forms }, into(place, 'items'));
  } else {
    out.items = items.length === 0 ? { type: 'string' } : run.adapt(items[0], into(place, 'items'));
  }
  remaining(rest, 'array', place, run, out);
  members(node, 'array', place, run, out);
  return out;
}

/** Converts the keywords of strings, numbers and booleans. */
export function scalarKeywords(
  node: Schema,
  type: TypeName,
  place: SchemaLocation,
  run: DialectConversion,
): MutableSchema {
  const out: MutableSchema = { type };
  members(node, type, place, run, out);
  remaining(bounds(node, type, place, run, out), type, place, run, out);
  return out;
}

/** Converts the enum members of one type. */
function members(
  node: Schema,
  type: TypeName,
  place: SchemaLocation,
  run: DialectConversion,
  out: MutableSchema,
): void {
  if (!Array.isArray(node.enum)) return;
  const values = [...new Set(node.enum.filter((value) => isWithin(typeOf(value), type)))];
  const { dialect } = run;
  if (type === 'boolean' && values.length === 2) return;
  if (values.every((value) => dialect.enums.has(typeOf(value))) && (dialect.accepts?.('enum', values) ?? true)) {
    out.enum = values;
    return;
  }
  lose(
    run,
    place,
    out,
    'enum',
    values.length === 1 ? describeConstraint('const', values[0]) : describeConstraint('enum', values),
  );
  if (type !== 'number' && type !== 'integer') return;
  if (dialect.keywords.has('minimum')) out.minimum = Math.min(...(values as number[]));
  if (dialect.keywords.has('maximum')) out.maximum = Math.max(...(values as number[]));
}

/** Rewrites exclusive bounds where a dialect has none: exact for integers, otherwise the bound itself is allowed. */
function bounds(
  node: Schema,
  type: TypeName,
  place: SchemaLocation,
  run: DialectConversion,
  out: MutableSchema,
): Schema {
  if (run.dialect.keywords.has('exclusiveMinimum') || (type !== 'integer' && type !== 'number')) return node;
  if (node.exclusiveMinimum === undefined && node.exclusiveMaximum === undefined) return node;
  const next = without(node, 'exclusiveMinimum', 'exclusiveMaximum');
  for (const [exclusive, inclusive, direction] of [
    ['exclusiveMinimum', 'minimum', 1],
    ['exclusiveMaximum', 'maximum', -1],
  ] as const) {
    const limit = node[exclusive];
    if (typeof limit !== 'number') continue;
    const whole = direction === 1 ? Math.floor(limit) + 1 : Math.ceil(limit) - 1;
    const nearest = type === 'integer' ? whole : limit;
    const known = node[inclusive];
    const isTighter = typeof known === 'number' && (direction === 1 ? known > limit : known < limit);
    if (isTighter) continue;
    if (type === 'integer' || run.dialect.keywords.has(inclusive)) next[inclusive] = nearest;
    if (type === 'number') lose(run, place, out, exclusive, describeConstraint(exclusive, limit));
  }
  return next;
}

/** Copies or describes the keywords that hold no schema, and those that no dialect has. */
function remaining(
  node: Schema,
  type: TypeName,
  place: SchemaLocation,
  run: DialectConversion,
  out: MutableSchema,
): void {
  const { dialect } = run;
  for (const key in node) {
    const keyword = keywords.get(key);
    if (!keyword?.on.includes(type) || DONE.has(key)) continue;
    const value = node[key];
    if (saysNothing(key, value)) continue;
    const isKnown = dialect.keywords.has(key) && (key !== 'format' || isFormat(dialect, String(value)));
    if (isKnown && (dialect.accepts?.(key, value) ?? true)) {
      out[key] = dialect.countsAsText && COUNTS.has(key) ? String(value) : value;
    } else {
      lose(run, place, out, key, describeConstraint(key, value, node));
    }
  }
}

/** Keywords that are converted elsewhere. */
const DONE = words('type enum properties required additionalProperties items prefixItems then else');

const isFormat = ({ formats }: Dialect, name: string): boolean => formats === 'all' || formats.has(name);

const saysNothing = (key: string, value: unknown): boolean =>
  (key === 'uniqueItems' && value === false) ||
  (key.startsWith('min') && value === 0 && key !== 'minimum' && key !== 'minContains') ||
  ((key === 'unevaluatedProperties' || key === 'propertyNames' || key === 'unevaluatedItems') && value === true);

function lose(run: DialectConversion, place: SchemaLocation, out: MutableSchema, keyword: string, hint: string): void {
  if (Array.isArray(out[HINTS])) out[HINTS].push(hint);
  else out[HINTS] = [hint];
  warn(run, place, `${keyword} is not in ${run.dialect.label} and is described instead`);
}
