import { asArray, asRecord, asStrings, isRecord, type MutableSchema, type Schema, setOwn } from '../json.ts';
import { encodeName } from '../names.ts';
import type { Adapted } from './adapt.ts';
import {
  type Conversion,
  into,
  outputKey,
  ROOT,
  resolve,
  type SchemaLocation,
  startConversion,
  warn,
} from './conversion.ts';
import { clean } from './flatten.ts';
import { describe } from './hints.ts';
import { words } from './keywords.ts';
import { typesOf } from './merge.ts';
import { isPlainRoot, plainRoot } from './root.ts';

interface Copy extends Conversion {
  /** The schema in which references of the output are resolved. */
  top: Schema;
  readonly hoisted: Map<string, string>;
}

const ONE = words(
  'items contains additionalProperties not if then else propertyNames unevaluatedItems unevaluatedProperties',
);
/** Keywords of `ONE` that may be a boolean with every provider. */
const BOOLEAN = words('items additionalProperties unevaluatedItems unevaluatedProperties');
const MANY = words('anyOf oneOf allOf prefixItems');
const NAMED = words('properties dependentSchemas');
const MAPS = words('properties dependentSchemas patternProperties $defs definitions dependentRequired');
/** The keywords that references point into. */
const KEPT = ['$defs', 'definitions', '$anchor'];

/**
 * A tool's parameters for providers that take any JSON Schema: an object at the top, items for every list, no dangling
 * references, and no invalid keyword values, because one such schema makes them refuse the whole request.
 */
export function portableSchema(parameters: Schema, label: string, keys?: RegExp): Adapted {
  const run: Copy = {
    ...startConversion(parameters, keys ? { label, keys } : { label }),
    top: parameters,
    hoisted: new Map(),
  };
  const root = isPlainRoot(parameters) ? { node: parameters, hints: [] } : plainRoot(run);
  if (root.node !== parameters)
    run.top = { ...root.node, $defs: parameters.$defs, definitions: parameters.definitions };
  const kept = ['$defs', 'definitions'].filter((key) => isRecord(parameters[key]));
  const source = { ...root.node, ...Object.fromEntries(kept.map((key) => [key, parameters[key]])) };
  const schema: MutableSchema = copy(source, ROOT, run);
  if (!isRecord(schema.properties)) schema.properties = {};
  hoist(schema, run);
  return { schema, hints: root.hints, warnings: run.warnings };
}

function copy(input: unknown, place: SchemaLocation, run: Copy): MutableSchema {
  if (input === false) return { not: {} };
  if (!isRecord(input)) return {};
  const node = clean(input, place, run);
  const out: MutableSchema = {};
  for (const key in node) setOwn(out, key, copyKeyword(key, node[key], place, run));
  for (const key of KEPT) if (Object.hasOwn(input, key)) out[key] = copyKeyword(key, input[key], place, run);
  if (Array.isArray(out.enum) && out.enum.length === 0) {
    delete out.enum;
    out.not = {};
  }
  if (typeof out.$ref === 'string') copyReference(out, place, run);
  if (typesOf(out.type).includes('array') && out.items === undefined && out.prefixItems === undefined) out.items = {};
  return out;
}

function copyKeyword(key: string, value: unknown, place: SchemaLocation, run: Copy): unknown {
  // Most keywords hold no schema.
  if (typeof value !== 'object' || value === null)
    return BOOLEAN.has(key) || !ONE.has(key) ? value : copy(value, place, run);
  if (ONE.has(key)) return copy(value, into(place, key), run);
  if (MANY.has(key)) return asArray(value).map((entry, index) => copy(entry, into(place, key, index), run));
  if (key === 'required') return [...new Set(asStrings(value))].map((name) => outputKey(run, place, name));
  if (key === 'type') return [...new Set(asArray(value))];
  return MAPS.has(key) ? copyMap(key, value, place, run) : value;
}

function copyMap(key: string, value: unknown, place: SchemaLocation, run: Copy): MutableSchema {
  const out: MutableSchema = {};
  for (const [name, entry] of Object.entries(asRecord(value))) {
    const here = into(place, key, name);
    if (key === 'dependentRequired')
      setOwn(
        out,
        outputKey(run, here, name),
        asStrings(entry).map((other) => outputKey(run, here, other)),
      );
    else setOwn(out, NAMED.has(key) ? outputKey(run, here, name) : name, copy(entry, here, run));
  }
  return out;
}

function copyReference(out: MutableSchema, place: SchemaLocation, run: Copy): void {
  const reference = String(out.$ref);
  if (resolve(run.top, reference) !== undefined) {
    out.$ref = renamed(reference, run);
  } else if (resolve(run.root, reference) === undefined) {
    warn(run, place, `$ref ${reference} cannot be resolved and is left out`);
    delete out.$ref;
    out.description = describe(out.description, [`See ${reference}.`]);
  } else {
    const name = run.hoisted.get(reference) ?? `part_of_top_${run.hoisted.size + 1}`;
    run.hoisted.set(reference, name);
    out.$ref = `#/$defs/${name}`;
  }
}

/** Applies the new property names to a pointer through properties. */
function renamed(reference: string, run: Copy): string {
  const { keys } = run.dialect;
  if (!keys || !reference.includes('/properties/')) return reference;
  return reference
    .split('/')
    .map((part, index, parts) => (parts[index - 1] === 'properties' ? encodeName(part, keys) : part))
    .join('/');
}

/** Moves parts of the original top level that references still point to into definitions. */
function hoist(schema: MutableSchema, run: Copy): void {
  const definitions: MutableSchema = { ...asRecord(schema.$defs) };
  const done = new Set<string>();
  while (done.size < run.hoisted.size) {
    for (const [reference, name] of [...run.hoisted]) {
      if (done.has(reference)) continue;
      done.add(reference);
      setOwn(definitions, name, copy(resolve(run.root, reference), { ...ROOT, keyword: reference.slice(1) }, run));
    }
  }
  if (Object.keys(definitions).length > 0) schema.$defs = definitions;
}
