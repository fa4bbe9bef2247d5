import {
  asArray,
  asRecord,
  asStrings,
  isRecord,
  type MutableSchema,
  own,
  type Schema,
  sameJson,
  setOwn,
  without,
} from '../json.ts';
import { type Conversion, ROOT, type SchemaLocation, unfit, warn } from './conversion.ts';
import { flatten, withHint } from './flatten.ts';
import { describeConstraint } from './hints.ts';
import { HINTS, merge, summary, typesOf } from './merge.ts';

export interface Root {
  /** An object with properties and without alternatives. */
  readonly node: Schema;
  readonly place: SchemaLocation;
  /** Sentences that describe constraints on the arguments as a whole. */
  readonly hints: readonly string[];
}

/** No provider accepts these at the top level of a tool's parameters. */
const REFUSED = ['anyOf', 'oneOf', 'allOf', 'enum', 'const', 'not', '$ref', 'if', 'then', 'else'] as const;

/** Whether the top level of the parameters can stay unchanged. */
export const isPlainRoot = (root: Schema): boolean =>
  root.type === 'object' && !REFUSED.some((keyword) => Object.hasOwn(root, keyword));

/**
 * The parameters as one object: alternatives become one set of properties, and which of them belong together is
 * described.
 */
export function plainRoot(run: Conversion): Root {
  const flat = flatten(run.root, ROOT, run);
  if (flat.node === false) return unfit(ROOT, 'no arguments could satisfy the parameters');
  const types = typesOf(flat.node.type);
  if (types.length > 0 && !types.includes('object')) unfit(ROOT, 'the parameters must be of type object');
  let node: Schema = { ...flat.node, type: 'object' };
  if (Array.isArray(node.anyOf)) node = joinAlternatives(node, flat.place, run);
  for (const keyword of ['enum', 'not', 'if'] as const) {
    if (!Object.hasOwn(node, keyword)) continue;
    warn(run, ROOT, `${keyword} at the top of the parameters is only described`);
    node = withHint(
      without(node, keyword, ...(keyword === 'if' ? ['then', 'else'] : [])),
      describeConstraint(keyword, node[keyword], node),
    );
  }
  return { node: without(node, HINTS, 'then', 'else'), place: flat.place, hints: asStrings(node[HINTS]) };
}

function joinAlternatives(node: Schema, place: SchemaLocation, run: Conversion): Schema {
  const base = without(node, 'anyOf');
  const lost = (keyword: string): void => warn(run, place, `${keyword} of an alternative is only described`);
  const branches = asArray(node.anyOf)
    .map((branch) => merge(base, flatten(branch, place, run).node, lost))
    .filter((branch) => branch !== false)
    .flatMap((branch) => (Array.isArray(branch.anyOf) ? [joinAlternatives(branch, place, run)] : [branch]));
  const [first] = branches;
  if (!first) return unfit(place, 'no arguments could satisfy the parameters');
  if (branches.length === 1) return first;
  warn(run, place, 'alternatives at the top of the parameters are given as one set of properties and described');
  const required = asStrings(first.required).filter((key) =>
    branches.every((branch) => asStrings(branch.required).includes(key)),
  );
  const joined: MutableSchema = {
    ...base,
    properties: joinProperties(branches, place, run),
  };
  if (required.length > 0) joined.required = required;
  if (branches.every((branch) => branch.additionalProperties === false)) joined.additionalProperties = false;
  else delete joined.additionalProperties;
  const others = branches.flatMap((branch) => asStrings(branch[HINTS]));
  const shown = branches.slice(0, 20).map(summary);
  return { ...joined, [HINTS]: [...new Set([...others, `Give one of these: ${[...new Set(shown)].join(' or ')}.`])] };
}

/** The properties of all alternatives; where they differ, either schema is allowed. */
function joinProperties(branches: readonly Schema[], place: SchemaLocation, run: Conversion): Schema {
  const joined: MutableSchema = {};
  for (const branch of branches) {
    for (const [key, schema] of Object.entries(asRecord(branch.properties))) {
      const known = own(joined, key);
      if (known === undefined) setOwn(joined, key, schema);
      else if (!unionMembers(known).some((form) => sameJson(form, schema)))
        setOwn(joined, key, { anyOf: [...unionMembers(known), schema] });
    }
  }
  const keys = Object.keys(joined);
  const isNarrower = branches.some((branch) => {
    const named = asRecord(branch.properties);
    return branch.additionalProperties !== false && keys.some((key) => !Object.hasOwn(named, key));
  });
  if (isNarrower)
    warn(run, place, 'an alternative that leaves a property open takes the form another gives it', 'narrowed');
  return joined;
}

const unionMembers = (schema: unknown): readonly unknown[] =>
  isRecord(schema) && Array.isArray(schema.anyOf) && Object.keys(schema).length === 1 ? schema.anyOf : [schema];
