import {
  asArray,
  asStrings,
  isRecord,
  type MutableSchema,
  own,
  type Schema,
  sameJson,
  setOwn,
  without,
} from '../json.ts';
import { type Conversion, MAX_NODES, resolve, type SchemaLocation, warn } from './conversion.ts';
import { describeConstraint } from './hints.ts';
import { ANNOTATIONS, BOOKKEEPING, isWithin, keywords, typeOf } from './keywords.ts';
import { areDisjoint, HINTS, merge, typesOf } from './merge.ts';

/** More alternatives are not compared pairwise. */
const MAX_COMPARED = 64;

export interface Flat {
  /** Without $ref, allOf, oneOf and const; false when no value can satisfy it. */
  readonly node: Schema | false;
  readonly place: SchemaLocation;
}

/** Adds a sentence to a schema's description. */
export const withHint = (node: Schema, hint: string): Schema => ({
  ...node,
  [HINTS]: [...asStrings(node[HINTS]), hint],
});

/** Rewrites a schema to the few keywords that the conversion handles, with references and allOf resolved. */
export function flatten(input: unknown, place: SchemaLocation, run: Conversion): Flat {
  if (input === false) return { node: false, place };
  if (!isRecord(input)) return { node: {}, place };
  const followed = followReference(normalise(input, place, run), place, run);
  if (followed.node === false) return followed;
  const { node } = followed;
  if (node.allOf === undefined && node.oneOf === undefined) {
    return { node: closeUnevaluated(node), place: followed.place };
  }
  let here = followed.place;
  const lost = (keyword: string): void => warn(run, place, `${keyword} of allOf is only described`);
  let whole: Schema | false = without(node, 'allOf', 'oneOf');
  for (const part of asArray(node.allOf)) {
    const flat: Flat = flatten(part, here, run);
    here = flat.place;
    whole = whole === false ? false : merge(whole, flat.node, lost);
  }
  if (whole !== false && Array.isArray(node.oneOf))
    whole = merge(whole, collectAlternatives(node.oneOf, here, run), lost);
  return { node: whole === false ? false : closeUnevaluated(whole), place: here };
}

/** Turns constants into enums of one member, and drops enum members that the type excludes. */
function normalise(input: Schema, place: SchemaLocation, run: Conversion): Schema {
  const node = clean(input, place, run);
  const hasConst = Object.hasOwn(node, 'const');
  if (!hasConst && !Array.isArray(node.enum)) return node;
  const isAllowed = !Array.isArray(node.enum) || node.enum.some((member) => sameJson(member, node.const));
  const values = hasConst ? (isAllowed ? [node.const] : []) : asArray(node.enum);
  const types = typesOf(node.type);
  const isOfType = (value: unknown): boolean => types.some((type) => isWithin(typeOf(value), type));
  return { ...without(node, 'const'), enum: node.type === undefined ? values : values.filter(isOfType) };
}

/** Drops keywords with invalid values and modernises older spellings; returns the schema itself if nothing changes. */
export function clean(input: Schema, place: SchemaLocation, run: Conversion): Schema {
  const modern = modernise(input);
  const dropped: string[] = [];
  for (const key in modern) {
    const keyword = keywords.get(key);
    if (!keyword && BOOKKEEPING.has(key)) dropped.push(key);
    else if (keyword && !keyword.valid(modern[key])) {
      warn(run, place, `${key} has no valid value and is left out`);
      dropped.push(key);
    }
  }
  return dropped.length > 0 ? without(modern, ...dropped) : modern;
}

/** Rewrites tuples and dependencies as drafts up to 7 wrote them. */
function modernise(input: Schema): Schema {
  if (!Array.isArray(input.items) && !Object.hasOwn(input, 'dependencies') && !Object.hasOwn(input, '$dynamicRef'))
    return input;
  const node = without(input, 'additionalItems', 'dependencies', '$dynamicRef');
  if (typeof input.$dynamicRef === 'string' && node.$ref === undefined) node.$ref = input.$dynamicRef;
  if (Array.isArray(input.items)) {
    delete node.items;
    if (input.items.length > 0) node.prefixItems = input.items;
    if (input.additionalItems !== undefined) node.items = input.additionalItems;
  }
  for (const [key, value] of Object.entries(isRecord(input.dependencies) ? input.dependencies : {})) {
    const keyword = Array.isArray(value) ? 'dependentRequired' : 'dependentSchemas';
    const map: MutableSchema = { ...(isRecord(node[keyword]) ? node[keyword] : {}) };
    setOwn(map, key, value);
    node[keyword] = map;
  }
  return node;
}

function followReference(node: Schema, place: SchemaLocation, run: Conversion): Flat {
  const reference = own(node, '$ref');
  if (typeof reference !== 'string') return { node, place };
  const rest = without(node, '$ref');
  const target = resolve(run.root, reference);
  if (target === undefined) {
    warn(run, place, `$ref ${reference} cannot be resolved and is left out`);
    return { node: withHint(rest, `See ${reference}.`), place };
  }
  run.count.nodes += 1;
  if (place.refs.includes(reference) || run.count.nodes > MAX_NODES)
    return { node: cut(rest, target, reference, place, run), place };
  const flat = flatten(target, { ...place, refs: [...place.refs, reference] }, run);
  return {
    node: merge(rest, flat.node, (keyword) => warn(run, place, `${keyword} of ${reference} is only described`)),
    place: flat.place,
  };
}

/** What remains of a recursive definition at the point where it would contain itself again. */
function cut(rest: Schema, target: unknown, reference: string, place: SchemaLocation, run: Conversion): Schema {
  warn(run, place, `${reference} is cut here, as it would hold itself without end; the rest is described`);
  const type = isRecord(target) ? target.type : undefined;
  const shape: Schema = type === undefined || Object.hasOwn(rest, 'type') ? rest : { ...rest, type };
  const name = reference === '#' ? 'the whole' : (reference.split('/').at(-1) ?? reference);
  return withHint(shape, `Of the same form as ${name}.`);
}

/** Rewrites oneOf as anyOf: equivalent when no two alternatives overlap, otherwise the difference is described. */
function collectAlternatives(branches: readonly unknown[], place: SchemaLocation, run: Conversion): Schema {
  const quiet: Conversion = { ...run, warnings: [], definitions: new Map() };
  const flat = branches.map((branch) => flatten(branch, place, quiet).node);
  const possible = flat.filter((node) => node !== false);
  const isExclusive =
    possible.length <= MAX_COMPARED &&
    possible.every((a, index) => possible.slice(index + 1).every((b) => areDisjoint(a, b)));
  const node: Schema = { anyOf: branches.filter((_, index) => flat[index] !== false) };
  if (isExclusive) return possible.length === 0 ? { enum: [] } : node;
  warn(run, place, 'oneOf is given as anyOf; that only one may fit is described');
  return withHint(node, describeConstraint('oneOf', flat));
}

/** On an object without subschemas, `unevaluatedProperties: false` means `additionalProperties: false`. */
function closeUnevaluated(node: Schema): Schema {
  if (node.unevaluatedProperties !== false || node.additionalProperties !== undefined) return node;
  const open = ['anyOf', 'if', 'dependentSchemas', 'patternProperties'].some((key) => Object.hasOwn(node, key));
  return open ? node : { ...without(node, 'unevaluatedProperties'), additionalProperties: false };
}

/** Whether a schema restricts no values. */
export const isOpen = (node: Schema): boolean =>
  Object.keys(node).every((key) => ANNOTATIONS.has(key) || key === HINTS || !keywords.has(key));
