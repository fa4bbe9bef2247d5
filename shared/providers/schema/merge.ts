import {
  asArray,
  asRecord,
  asStrings,
  excerpt,
  isRecord,
  type MutableSchema,
  own,
  type Schema,
  sameJson,
  setOwn,
} from '../json.ts';
import { describeConstraint } from './hints.ts';
import { ANNOTATIONS, isType, isWithin, keywords, TYPES, type TypeName, typeOf, words } from './keywords.ts';

/** The key for sentences of the description, kept with a schema during the conversion. */
export const HINTS = '\u0000hints';

/** Products of more alternatives are described instead of written out. */
const MAX_ALTERNATIVES = 16;

/** Keywords that depend on each other, merged after the others. */
const SETTLED = words('properties additionalProperties items prefixItems');

/** If such a list is empty, nothing can satisfy the schema. */
const FATAL = words('type enum anyOf');

/** Two different values of these cannot be merged, only put side by side in allOf. */
const BESIDE = words('$ref oneOf');

type Lost = (keyword: string) => void;

/**
 * The schema of values that satisfy both, or false when none can. `lost` is called for keywords that are only
 * described.
 */
export function merge(a: Schema | boolean, b: Schema | boolean, lost: Lost): Schema | false {
  if (a === false || b === false) return false;
  if (a === true) return b === true ? {} : b;
  if (b === true) return a;
  const both: MutableSchema = { ...a };
  const apart: Schema[] = [];
  for (const [keyword, value] of Object.entries(b)) {
    if (!Object.hasOwn(a, keyword)) setOwn(both, keyword, value);
    else if (BESIDE.has(keyword) && !sameJson(a[keyword], value)) apart.push({ [keyword]: value });
    else if (!mergeKeyword(both, keyword, a, b, lost)) return false;
  }
  if (apart.length > 0) both.allOf = [...asArray(both.allOf), ...apart];
  settleItems(both, a, b, lost);
  return (settleProperties(both, a, b, lost) || excludeObjects(both)) && settleEnum(both) ? both : false;
}

/** Merges a keyword of both sides into `both`; false when that is impossible. */
function mergeKeyword(both: MutableSchema, keyword: string, a: Schema, b: Schema, lost: Lost): boolean {
  const [x, y] = [a[keyword], b[keyword]];
  if (ANNOTATIONS.has(keyword) || SETTLED.has(keyword) || sameJson(x, y)) {
    return true;
  }
  const merger = Object.hasOwn(mergers, keyword) ? mergers[keyword] : undefined;
  const merged = merger?.(x, y, lost);
  if (merged === undefined) {
    both[HINTS] = [...asStrings(both[HINTS]), describeConstraint(keyword, y, b)];
    lost(keyword);
    return true;
  }
  both[keyword] = merged;
  const isEmpty = Array.isArray(merged) && merged.length === 0;
  return !(keyword === 'const' || (isEmpty && FATAL.has(keyword)));
}

const least = (x: unknown, y: unknown): unknown => Math.min(x as number, y as number);
const most = (x: unknown, y: unknown): unknown => Math.max(x as number, y as number);
const union = (x: unknown, y: unknown): unknown => [...new Set([...asArray(x), ...asArray(y)])];
const nested = (x: unknown, y: unknown, lost: Lost): unknown => merge(x as Schema, y as Schema, lost);

/** How two values of a keyword are merged; undefined when they cannot be. */
const mergers: Readonly<Record<string, (x: unknown, y: unknown, lost: Lost) => unknown>> = {
  type: (x, y) => intersectTypes(typesOf(x), typesOf(y)),
  enum: (x, y) => shared(asArray(x), asArray(y)),
  const: () => false,
  minimum: most,
  exclusiveMinimum: most,
  minLength: most,
  minItems: most,
  minProperties: most,
  maximum: least,
  exclusiveMaximum: least,
  maxLength: least,
  maxItems: least,
  maxProperties: least,
  multipleOf: (x, y) => multiple(x as number, y as number) ?? multiple(y as number, x as number),
  uniqueItems: () => true,
  required: union,
  allOf: (x, y) => [...asArray(x), ...asArray(y)],
  [HINTS]: union,
  propertyNames: nested,
  unevaluatedProperties: nested,
  anyOf: (x, y, lost) => product(asArray(x) as Schema[], asArray(y) as Schema[], lost),
};

/** The members of both lists. The order of keys in an object counts here, which is unlikely to matter in an enum. */
function shared(x: readonly unknown[], y: readonly unknown[]): readonly unknown[] {
  const texts = new Set(y.map((value) => JSON.stringify(value)));
  return x.filter((value) => texts.has(JSON.stringify(value)));
}

const multiple = (x: number, y: number): number | undefined => (Number.isInteger(x / y) ? x : undefined);

/** A type or a list of them, as a list. */
export const typesOf = (value: unknown): TypeName[] => (isType(value) ? [value] : asArray(value).filter(isType));

function intersectTypes(x: readonly TypeName[], y: readonly TypeName[]): TypeName | TypeName[] {
  const shared = [
    ...x.filter((type) => y.some((other) => isWithin(type, other))),
    ...y.filter((type) => x.some((other) => isWithin(type, other))),
  ];
  const types = [...new Set(shared)].filter((type) => type !== 'integer' || !shared.includes('number'));
  return types.length === 1 && types[0] ? types[0] : types;
}

function product(x: readonly Schema[], y: readonly Schema[], lost: Lost): Schema[] | undefined {
  if (x.length * y.length > MAX_ALTERNATIVES) return undefined;
  return x.flatMap((a) => y.map((b) => merge(a, b, lost))).filter((entry) => entry !== false);
}

/** Each side's properties must also satisfy what the other side says of additional properties. */
function settleProperties(both: MutableSchema, a: Schema, b: Schema, lost: Lost): boolean {
  if (!isRecord(a.properties) && !isRecord(b.properties) && !Object.hasOwn(both, 'additionalProperties')) return true;
  const rest = merge(schemaForOthers(a), schemaForOthers(b), lost);
  const properties: MutableSchema = {};
  for (const key of Object.keys({ ...asRecord(a.properties), ...asRecord(b.properties) })) {
    const merged = merge(schemaForKey(a, key, lost), schemaForKey(b, key, lost), lost);
    if (merged === false && asStrings(both.required).includes(key)) return false;
    // A closed object forbids an undeclared key anyway.
    if (merged !== false || rest !== false || hasPatterns(both)) setOwn(properties, key, merged);
  }
  both.properties = properties;
  if (hasPatterns(a) !== hasPatterns(b) && schemaForOthers(hasPatterns(a) ? b : a) !== true) lost('patternProperties');
  if (rest === false || Object.keys(rest).length > 0) both.additionalProperties = rest;
  const isOpen = rest !== false || hasPatterns(both);
  return isOpen || asStrings(both.required).every((key) => Object.hasOwn(properties, key));
}

/** No object can satisfy both sides, but other types may. */
function excludeObjects(both: MutableSchema): boolean {
  const types = typesOf(both.type);
  const others = (types.length > 0 ? types : TYPES).filter((type) => type !== 'object' && type !== 'integer');
  const rest = types.includes('integer') ? [...others, 'integer'] : others;
  for (const keyword of Object.keys(both)) {
    if (keywords.get(keyword)?.on.join() === 'object') delete both[keyword];
  }
  both.type = rest;
  return rest.length > 0;
}

const hasPatterns = (node: Schema): boolean => Object.hasOwn(node, 'patternProperties');
const schemaForOthers = (node: Schema): Schema | boolean =>
  (node.additionalProperties as Schema | boolean | undefined) ?? true;

function schemaForKey(node: Schema, key: string, lost: Lost): Schema | boolean {
  const named = own(asRecord(node.properties), key);
  if (named !== undefined) return named as Schema | boolean;
  // A pattern may match the key, so additionalProperties does not certainly apply to it.
  if (hasPatterns(node) && schemaForOthers(node) !== true) lost('additionalProperties');
  return hasPatterns(node) ? true : schemaForOthers(node);
}

/** Each position of a list must satisfy both sides. */
function settleItems(both: MutableSchema, a: Schema, b: Schema, lost: Lost): void {
  const length = Math.max(asArray(a.prefixItems).length, asArray(b.prefixItems).length);
  const prefix: Schema[] = [];
  while (prefix.length < length) {
    const place = merge(itemAt(a, prefix.length), itemAt(b, prefix.length), lost);
    if (place === false) break;
    prefix.push(place);
  }
  if (length > 0) both.prefixItems = prefix;
  if (prefix.length === 0) delete both.prefixItems;
  const isCut = prefix.length < length;
  if (isCut) both.items = false;
  else if (Object.hasOwn(both, 'items')) both.items = merge(itemAt(a, length), itemAt(b, length), lost);
}

const itemAt = (node: Schema, index: number): Schema | boolean =>
  (asArray(node.prefixItems)[index] ?? node.items ?? true) as Schema | boolean;

/** Drops enum members that the type excludes. */
function settleEnum(both: MutableSchema): boolean {
  if (!Array.isArray(both.enum) || both.type === undefined) return true;
  const types = typesOf(both.type);
  const members = both.enum.filter((value) => types.some((type) => isWithin(typeOf(value), type)));
  both.enum = members;
  return members.length > 0;
}

/** Whether no value can satisfy both, as far as types, constants and required keys show. */
export function areDisjoint(a: Schema, b: Schema): boolean {
  const [x, y] = [enumValues(a), enumValues(b)];
  if (x && y) return shared(x, y).length === 0;
  const types = [typesOf(a.type), typesOf(b.type)] as const;
  if (types[0].length > 0 && types[1].length > 0) {
    if (!types[0].some((x) => types[1].some((y) => isWithin(x, y) || isWithin(y, x)))) return true;
    if (!types.every((list) => list.length === 1 && list[0] === 'object')) return false;
    return (
      [...asStrings(a.required)].some((key) => keyParts(a, b, key)) ||
      asStrings(b.required).some((key) => keyParts(b, a, key))
    );
  }
  return false;
}

/** Whether a key that `a` requires is forbidden by `b`, or has disjoint values there. */
function keyParts(a: Schema, b: Schema, key: string): boolean {
  const there = own(asRecord(b.properties), key);
  if (there === undefined) return b.additionalProperties === false && !hasPatterns(b);
  const here = own(asRecord(a.properties), key);
  if (!isRecord(here) || !isRecord(there) || !asStrings(b.required).includes(key)) return false;
  return areDisjoint(here, there);
}

const enumValues = (node: Schema): readonly unknown[] | undefined =>
  Object.hasOwn(node, 'const') ? [node.const] : Array.isArray(node.enum) ? node.enum : undefined;

/** Describes in a few words what a set of arguments must have. */
export function summary(node: Schema): string {
  const properties = asRecord(node.properties);
  const parts = asStrings(node.required).map((key) => {
    const values = enumValues(asRecord(own(properties, key)));
    return values?.length === 1 ? `${key}=${excerpt(values[0], 40)}` : key;
  });
  return parts.length > 0 ? `{${parts.join(', ')}}` : '{}';
}
