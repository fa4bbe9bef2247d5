import { arrayOf, type Draft, isObject, objectOf, put, type Schema, step, stringsOf, without } from '../json.ts';
import { withNull } from './annotate.ts';
import { hintOf } from './hints.ts';
import { isWithin, keywords, type TypeName, typeOf } from './keywords.ts';
import { HINTS } from './merge.ts';
import { into, keyOf, type Place, unfit, type Work, warn } from './run.ts';

const COUNTS = ['minItems', 'maxItems', 'minLength', 'maxLength', 'minProperties', 'maxProperties'];

/** The keywords of an object: its properties, which are required, and whether there may be others. */
export function objectKeywords(node: Schema, place: Place, run: Work): Draft {
  const { dialect } = run;
  const out: Draft = { type: 'object', [HINTS]: [] };
  const declared = withRequired(node, place, run);
  const required = new Set(stringsOf(node.required));
  const properties: Draft = {};
  const names: string[] = [];
  for (const [key, schema] of Object.entries(declared)) {
    const here = into(place, step('properties') + step(key), !required.has(key));
    if (schema === false) {
      if (required.has(key)) impossible(key, place, run);
      continue;
    }
    const name = keyOf(run, here, key);
    const adapted = run.adapt(schema, here);
    const isOptional = dialect.allRequired && !required.has(key);
    put(properties, name, isOptional ? withNull(adapted, dialect) : adapted);
    if (dialect.allRequired || required.has(key)) names.push(name);
  }
  if (Object.keys(properties).length > 0 || !dialect.nullableFlag) out.properties = properties;
  if (names.length > 0) out.required = names;
  forbidden(declared, node, place, run, out);
  restOfObject(node, place, run, out);
  remaining(without(node, 'type', 'properties', 'required', 'additionalProperties', 'enum'), 'object', place, run, out);
  members(node, 'object', place, run, out);
  return out;
}

/** Every required key must be declared: one that is not takes what the object says of further keys. */
function withRequired(node: Schema, place: Place, run: Work): Schema {
  const declared: Draft = {};
  for (const [key, schema] of Object.entries(objectOf(node.properties))) put(declared, key, schema);
  for (const key of stringsOf(node.required)) {
    if (Object.hasOwn(declared, key)) continue;
    if (node.additionalProperties === false && !Object.hasOwn(node, 'patternProperties')) impossible(key, place, run);
    put(declared, key, isObject(node.additionalProperties) ? node.additionalProperties : {});
  }
  return declared;
}

function impossible(key: string, place: Place, run: Work): void {
  const message = `${JSON.stringify(key)} is required, but not allowed`;
  if (run.dialect.closed) unfit(place, message);
  warn(run, place, message);
}

/** Keys that must not be given: without them in the list a closed object says it already. */
function forbidden(declared: Schema, node: Schema, place: Place, run: Work, out: Draft): void {
  for (const [key, schema] of Object.entries(declared)) {
    if (schema !== false || run.dialect.closed || node.additionalProperties === false) continue;
    lose(run, place, out, `${JSON.stringify(key)}: false`, `No key ${JSON.stringify(key)}.`);
  }
}

function restOfObject(node: Schema, place: Place, run: Work, out: Draft): void {
  const { dialect } = run;
  const rest = node.additionalProperties;
  const count = Object.keys(objectOf(out.properties)).length;
  if (dialect.closed) {
    const isMap =
      rest === true ||
      isObject(rest) ||
      (rest === undefined && count === 0) ||
      Object.hasOwn(node, 'patternProperties');
    if (isMap) unfit(place, 'an object that takes further keys has no strict form');
    out.additionalProperties = false;
  } else if (isObject(rest) && Object.keys(rest).length > 0) {
    if (dialect.keywords.has('additionalProperties'))
      out.additionalProperties = run.adapt(rest, into(place, step('additionalProperties')));
    else lose(run, place, out, 'additionalProperties', hintOf('additionalProperties', rest));
  } else if (rest === false) {
    if (dialect.keywords.has('additionalProperties')) out.additionalProperties = false;
    // Models do not invent keys where some are declared, and a call with others is refused by the tool.
    else if (!run.warnings.some(({ message }) => message === CLOSED)) warn(run, place, CLOSED);
  }
}

const CLOSED = 'additionalProperties: false is left out; a call with other keys is refused when it is validated';

/** The keywords of a list; every list says what its items are. */
export function arrayKeywords(node: Schema, place: Place, run: Work): Draft {
  const { dialect } = run;
  const out: Draft = { type: 'array', [HINTS]: [] };
  const prefix = arrayOf(node.prefixItems);
  let rest = without(node, 'type', 'items', 'prefixItems', 'enum');
  if (node.items === false)
    rest = { ...rest, maxItems: Math.min(prefix.length, Number(rest.maxItems ?? prefix.length)) };
  const items = node.items === false ? [] : [node.items ?? true];
  if (prefix.length > 0 && dialect.keywords.has('prefixItems')) {
    out.prefixItems = prefix.map((schema, index) => run.adapt(schema, into(place, step('prefixItems') + step(index))));
    if (items.length > 0 && node.items !== undefined) out.items = run.adapt(node.items, into(place, step('items')));
  } else if (prefix.length > 0) {
    lose(run, place, out, 'prefixItems', hintOf('prefixItems', prefix));
    const isOpenEnded = node.items === undefined && !(Number(rest.maxItems) <= prefix.length);
    if (isOpenEnded) warn(run, place, 'items after the listed ones take one of their forms', 'narrowed');
    const forms = node.items === undefined ? prefix : [...prefix, ...items];
    out.items = run.adapt(forms.length === 1 ? forms[0] : { anyOf: forms }, into(place, step('items')));
  } else {
    out.items = items.length === 0 ? { type: 'string' } : run.adapt(items[0], into(place, step('items')));
  }
  remaining(rest, 'array', place, run, out);
  members(node, 'array', place, run, out);
  return out;
}

/** The keywords of text, numbers and booleans. */
export function scalarKeywords(node: Schema, type: TypeName, place: Place, run: Work): Draft {
  const out: Draft = { type, [HINTS]: [] };
  members(node, type, place, run, out);
  remaining(bounds(without(node, 'type', 'enum'), type, place, run, out), type, place, run, out);
  return out;
}

/** The members of an enum that are of one type. */
function members(node: Schema, type: TypeName, place: Place, run: Work, out: Draft): void {
  if (!Array.isArray(node.enum)) return;
  const values = [...new Set(node.enum.filter((value) => isWithin(typeOf(value), type)))];
  const { dialect } = run;
  if (type === 'boolean' && values.length === 2) return;
  if (values.every((value) => dialect.enums.has(typeOf(value))) && (dialect.accepts?.('enum', values) ?? true)) {
    out.enum = values;
    return;
  }
  lose(run, place, out, 'enum', values.length === 1 ? hintOf('const', values[0]) : hintOf('enum', values));
  if (type !== 'number' && type !== 'integer') return;
  if (dialect.keywords.has('minimum')) out.minimum = Math.min(...(values as number[]));
  if (dialect.keywords.has('maximum')) out.maximum = Math.max(...(values as number[]));
}

/** Exclusive bounds where a dialect has none: exact for whole numbers, otherwise the limit itself is let in. */
function bounds(node: Schema, type: TypeName, place: Place, run: Work, out: Draft): Schema {
  if (run.dialect.keywords.has('exclusiveMinimum') || (type !== 'integer' && type !== 'number')) return node;
  const next: Draft = { ...node };
  for (const [exclusive, inclusive, direction] of [
    ['exclusiveMinimum', 'minimum', 1],
    ['exclusiveMaximum', 'maximum', -1],
  ] as const) {
    const limit = node[exclusive];
    if (typeof limit !== 'number') continue;
    delete next[exclusive];
    const whole = direction === 1 ? Math.floor(limit) + 1 : Math.ceil(limit) - 1;
    const nearest = type === 'integer' ? whole : limit;
    const known = node[inclusive];
    const isTighter = typeof known === 'number' && (direction === 1 ? known > limit : known < limit);
    if (isTighter) continue;
    if (type === 'integer' || run.dialect.keywords.has(inclusive)) next[inclusive] = nearest;
    if (type === 'number') lose(run, place, out, exclusive, hintOf(exclusive, limit));
  }
  return next;
}

/** Keywords that have no subschemas of their own: taken over, or described. */
function remaining(node: Schema, type: TypeName, place: Place, run: Work, out: Draft): void {
  const { dialect } = run;
  for (const [key, value] of Object.entries(node)) {
    const keyword = Object.hasOwn(keywords, key) ? keywords[key] : undefined;
    if (!keyword?.on.includes(type) || key === 'then' || key === 'else' || saysNothing(key, value)) continue;
    const isKnown =
      key === 'format'
        ? dialect.keywords.has(key) && (dialect.formats === 'all' || dialect.formats.has(String(value)))
        : dialect.keywords.has(key);
    if (isKnown && (dialect.accepts?.(key, value) ?? true)) {
      out[key] = dialect.countsAsText && COUNTS.includes(key) ? String(value) : value;
    } else {
      lose(run, place, out, key, hintOf(key, value, node));
    }
  }
}

const saysNothing = (key: string, value: unknown): boolean =>
  (key === 'uniqueItems' && value === false) ||
  (key.startsWith('min') && value === 0 && key !== 'minimum' && key !== 'minContains') ||
  ((key === 'unevaluatedProperties' || key === 'propertyNames' || key === 'unevaluatedItems') && value === true);

function lose(run: Work, place: Place, out: Draft, keyword: string, hint: string): void {
  out[HINTS] = [...stringsOf(out[HINTS]), hint];
  warn(run, place, `${keyword} is not in ${run.dialect.label} and is described instead`);
}
