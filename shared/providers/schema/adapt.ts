import { asArray, asStrings, isRecord, type MutableSchema, type Schema, sameJson, setOwn, without } from '../json.ts';
import { annotate, nullSchema, OUTER, withNull } from './annotate.ts';
import {
  type DialectConversion,
  into,
  type SchemaLocation,
  type SchemaWarning,
  startConversion,
  unfit,
  warn,
} from './conversion.ts';
import type { Dialect } from './dialect.ts';
import { flatten, isOpen } from './flatten.ts';
import { describeConstraint } from './hints.ts';
import { keepPlainType } from './keep-plain-type.ts';
import { isType, isWithin, keywords, type TypeName, typeOf } from './keywords.ts';
import { arrayKeywords, objectKeywords, scalarKeywords } from './members.ts';
import { HINTS, merge, typesOf } from './merge.ts';
import { keepReference } from './references.ts';
import { plainRoot } from './root.ts';

export interface Adapted {
  readonly schema: Schema;
  /** Sentences to add to the description of the tool. */
  readonly hints: readonly string[];
  readonly warnings: readonly SchemaWarning[];
}

/** Converts a tool's parameters to a dialect; throws InvalidInput with the reason when they cannot be expressed. */
export function adaptSchema(parameters: Schema, dialect: Dialect): Adapted {
  const run: DialectConversion = {
    ...startConversion(parameters, dialect),
    dialect,
    adapt: (input, place) => adapt(input, place, run),
  };
  const root = plainRoot(run);
  const schema = annotate(objectKeywords(root.node, root.place, run), root.node, dialect);
  if (run.definitions.size > 0) {
    const definitions: MutableSchema = {};
    for (const { name, schema: definition } of run.definitions.values()) setOwn(definitions, name, definition);
    schema.$defs = definitions;
  }
  return { schema, hints: root.hints, warnings: run.warnings };
}

function adapt(input: unknown, place: SchemaLocation, run: DialectConversion): MutableSchema {
  run.count.nodes += 1;
  const plain = keepPlainType(input, run.dialect);
  if (plain) return plain;
  const kept = keepReference(input, place, run);
  if (kept) return kept;
  const flat = flatten(input, place, run);
  if (flat.node === false) return never(place, run);
  const { node } = flat;
  if (Array.isArray(node.anyOf)) return alternatives(node, flat.place, run);
  if (Array.isArray(node.enum) && node.enum.length === 0) return never(place, run);
  if (isType(node.type) && node.type !== 'null' && node.enum === undefined) {
    return annotate(ofType(node, node.type, flat.place, run), node, run.dialect);
  }
  const types = possibleTypes(node, flat.place, run);
  return types.length === 0 ? anyValue(node, flat.place, run) : byType(node, types, flat.place, run);
}

function alternatives(node: Schema, place: SchemaLocation, run: DialectConversion): MutableSchema {
  const base = without(node, 'anyOf', ...OUTER);
  const lost = (keyword: string): void => warn(run, place, `${keyword} of an alternative is only described`);
  const branches: MutableSchema[] = [];
  for (const [index, branch] of asArray(node.anyOf).entries()) {
    const here = into(place, 'anyOf', index);
    const flat = isOpen(base) ? undefined : flatten(branch, here, run);
    const whole = flat ? merge(base, flat.node, lost) : branch;
    if (isNullOnly(whole)) branches.push({ type: 'null' });
    else if (whole !== false) branches.push(run.adapt(whole, flat?.place ?? here));
  }
  return branches.length === 0 ? never(place, run) : unite(branches, node, place, run);
}

/** Joins several alternatives into one schema: `null` as the dialect expresses it, the rest in anyOf. */
function unite(
  branches: readonly MutableSchema[],
  node: Schema,
  place: SchemaLocation,
  run: DialectConversion,
): MutableSchema {
  const flat = branches.flatMap((branch) => (isBareUnion(branch) ? (branch.anyOf as MutableSchema[]) : [branch]));
  const distinct = distinctJson(flat);
  const solid = distinct.filter((branch) => branch.type !== 'null');
  const [only] = solid;
  if (!only) return onlyNull(node, place, run);
  const whole: MutableSchema = solid.length === 1 ? only : { anyOf: solid };
  return annotate(solid.length < distinct.length ? withNull(whole, run.dialect) : whole, node, run.dialect);
}

/** Compares texts: comparing each branch with each other one would take seconds for thousands. */
const distinctJson = (branches: readonly MutableSchema[]): readonly MutableSchema[] => {
  const seen = new Set<string>();
  return branches.filter((branch) => seen.size < seen.add(JSON.stringify(branch, withSortedKeys)).size);
};

// Written by hand, because a library for it is too large for the edge.
const withSortedKeys = (_: string, value: unknown): unknown =>
  isRecord(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value;

const isNullOnly = (branch: unknown): boolean =>
  isRecord(branch) && (branch.type === 'null' || branch.const === null || sameJson(branch.enum, [null]));

function onlyNull(node: Schema, place: SchemaLocation, run: DialectConversion): MutableSchema {
  if (run.dialect.nullableFlag) warn(run, place, 'null alone is offered as text that may be null');
  return annotate(nullSchema(run.dialect), node, run.dialect);
}

const isBareUnion = (schema: MutableSchema): boolean => Array.isArray(schema.anyOf) && Object.keys(schema).length === 1;

/** The types that a schema without alternatives allows; none when it allows every value. */
function possibleTypes(node: Schema, place: SchemaLocation, run: DialectConversion): readonly TypeName[] {
  const declared = typesOf(node.type);
  if (Array.isArray(node.enum)) {
    const members = [...new Set(node.enum.map(typeOf))];
    if (declared.length > 0) return declared.filter((type) => members.some((member) => isWithin(member, type)));
    return members.includes('number') ? members.filter((type) => type !== 'integer') : members;
  }
  if (declared.length > 0) return declared;
  const implied = impliedType(node);
  if (implied) warn(run, place, `type ${implied} is assumed from the other keywords`, 'narrowed');
  return implied ? [implied] : [];
}

function impliedType(node: Schema): TypeName | undefined {
  for (const key of Object.keys(node)) {
    const on = keywords.get(key)?.on;
    if (on && on.length <= 3) return on[0];
  }
  return undefined;
}

function byType(
  node: Schema,
  types: readonly TypeName[],
  place: SchemaLocation,
  run: DialectConversion,
): MutableSchema {
  const { dialect } = run;
  const solid = types.filter((type) => type !== 'null');
  const [only] = solid;
  if (!only) return onlyNull(node, place, run);
  const isPlain = dialect.typeLists && solid.every(isScalar) && isOpen(without(node, 'type'));
  let whole: MutableSchema;
  if (solid.length === 1) whole = ofType(node, only, place, run);
  else if (isPlain) whole = { type: [...solid] };
  else whole = { anyOf: solid.map((type) => annotate(ofType(node, type, place, run), {}, dialect)) };
  return annotate(types.includes('null') ? withNull(whole, dialect) : whole, node, dialect);
}

const isScalar = (type: TypeName): boolean => type !== 'object' && type !== 'array';

/** The keywords of a schema that concern one type. */
function ofType(node: Schema, type: TypeName, place: SchemaLocation, run: DialectConversion): MutableSchema {
  if (type === 'object') return objectKeywords(node, place, run);
  return type === 'array' ? arrayKeywords(node, place, run) : scalarKeywords(node, type, place, run);
}

function anyValue(node: Schema, place: SchemaLocation, run: DialectConversion): MutableSchema {
  const { dialect } = run;
  if (dialect.any === 'none') return unfit(place, `${dialect.label} has no way to allow any value`);
  const others = Object.keys(node).filter((key) => keywords.has(key) && key !== 'then' && key !== 'else');
  for (const key of others) warn(run, place, `${key} is only described`);
  const hints = others.map((key) => describeConstraint(key, node[key], node));
  const described: Schema = { ...node, [HINTS]: [...asStrings(node[HINTS]), ...hints] };
  if (dialect.any === 'empty') return annotate({}, described, dialect);
  warn(run, place, 'any value is offered as text, number, boolean, object or a list of texts', 'narrowed');
  const spelled: MutableSchema[] = ['string', 'number', 'boolean', 'object'].map((type) => ({ type }));
  spelled.push({ type: 'array', items: { type: 'string' } });
  return annotate(withNull({ anyOf: spelled }, dialect), described, dialect);
}

function never(place: SchemaLocation, run: DialectConversion): MutableSchema {
  if (run.dialect.any === 'none') return unfit(place, 'no value can satisfy the schema');
  warn(run, place, 'no value can satisfy this schema; that is only described');
  return annotate({ type: 'string' }, { [HINTS]: ['No value is allowed here.'] }, run.dialect);
}
