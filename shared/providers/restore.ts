import { asArray, asRecord, asStrings, isRecord, type MutableSchema, own, type Schema, setOwn } from './json.ts';
import { encodeName } from './names.ts';
import { resolve } from './schema/conversion.ts';
import { isWithin, typeOf } from './schema/keywords.ts';
import { typesOf } from './schema/merge.ts';

type Values = Readonly<Record<string, unknown>>;

/** Values nested deeper are left unchanged. */
const DEEPEST = 64;

/**
 * Restores arguments to the tool's own parameters: maps property names back, drops null where it only means "not given"
 * (strict forms require every key), and corrects the case of enum members.
 */
export function restoreArguments(parameters: Schema, values: Values, keys?: RegExp): Values {
  const names = keys ? renamedKeys(parameters, keys) : undefined;
  const named = names && names.size > 0 ? (rename(values, names, 0) as Values) : values;
  return tidyObject([parameters], named, parameters, 0);
}

/** The properties that were renamed for the provider, by their encoded names. */
function renamedKeys(parameters: Schema, keys: RegExp): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const visit = (node: unknown, depth: number): void => {
    if (typeof node !== 'object' || node === null || depth > DEEPEST) return;
    if (isRecord(node)) {
      for (const key of [...Object.keys(asRecord(node.properties)), ...asStrings(node.required)]) {
        const name = encodeName(key, keys);
        if (name !== key) names.set(name, key);
      }
    }
    for (const child of Object.values(node)) visit(child, depth + 1);
  };
  visit(parameters, 0);
  return names;
}

function rename(value: unknown, names: ReadonlyMap<string, string>, depth: number): unknown {
  if (depth > DEEPEST) return value;
  if (Array.isArray(value)) return value.map((entry) => rename(entry, names, depth + 1));
  if (!isRecord(value)) return value;
  const out: MutableSchema = {};
  for (const [key, entry] of Object.entries(value)) setOwn(out, names.get(key) ?? key, rename(entry, names, depth + 1));
  return out;
}

function tidy(schemas: readonly unknown[], value: unknown, root: Schema, depth: number): unknown {
  if (depth > DEEPEST || schemas.length === 0) return value;
  if (isRecord(value)) return tidyObject(schemas, value, root, depth);
  if (Array.isArray(value)) {
    const forms = applicableSchemas(schemas, root, value);
    return value.map((entry, index) => tidy(itemsAt(forms, index), entry, root, depth + 1));
  }
  return typeof value === 'string' ? sameCase(schemas, value) : value;
}

function tidyObject(schemas: readonly unknown[], value: Values, root: Schema, depth: number): Values {
  const forms = applicableSchemas(schemas, root, value);
  const out: MutableSchema = {};
  for (const [key, entry] of Object.entries(value)) {
    const says = forms.flatMap((form) => {
      const property = own(asRecord(form.properties), key);
      return property === undefined ? [] : [property];
    });
    const mayDrop = entry === null && says.length > 0 && !schemas.some((schema) => needs(schema, key, value, root, 0));
    if (mayDrop && !schemas.every((schema) => admitsMember(schema, key, value, root, 0))) continue;
    setOwn(out, key, tidy(says, entry, root, depth + 1));
  }
  return out;
}

const itemsAt = (forms: readonly Schema[], index: number): readonly unknown[] =>
  forms.flatMap((form) => {
    const item = asArray(form.prefixItems)[index] ?? form.items;
    return item === undefined || Array.isArray(item) ? [] : [item];
  });

/** A schema and all schemas that it refers to or is composed of, as far as they may apply to the value. */
function applicableSchemas(schemas: readonly unknown[], root: Schema, value: unknown): readonly Schema[] {
  const forms = new Set<Schema>();
  const visit = (schema: unknown): void => {
    if (!isRecord(schema) || forms.has(schema)) return;
    forms.add(schema);
    if (typeof schema.$ref === 'string') visit(resolve(root, schema.$ref));
    for (const part of asArray(schema.allOf)) visit(part);
    for (const key of ['anyOf', 'oneOf']) for (const part of meant(asArray(schema[key]), value, root)) visit(part);
  };
  for (const schema of schemas) visit(schema);
  return [...forms];
}

/** The alternatives whose type, required keys and constants an object has; all of them when none fits. */
function meant(branches: readonly unknown[], value: unknown, root: Schema): readonly unknown[] {
  if (!isRecord(value)) return branches;
  const fitting = branches.filter((branch) => {
    const node = isRecord(branch) && typeof branch.$ref === 'string' ? resolve(root, branch.$ref) : branch;
    if (!isRecord(node) || !isMarked(node, value)) return node !== false && !isRecord(node);
    if (!asStrings(node.required).every((key) => Object.hasOwn(value, key))) return false;
    return Object.entries(asRecord(node.properties)).every(([key, schema]) => isMarked(schema, own(value, key)));
  });
  return fitting.length > 0 ? fitting : branches;
}

/** Whether a value may belong to a schema, judged by type, constant and enum; null may mean "not given". */
function isMarked(schema: unknown, value: unknown): boolean {
  if (value === undefined || value === null) return true;
  const { type, enum: members, const: constant } = asRecord(schema);
  const types = typesOf(type);
  if (types.length > 0 && !types.some((name) => isWithin(typeOf(value), name))) return false;
  if (constant !== undefined && typeof value !== 'object') return constant === value;
  if (!Array.isArray(members)) return true;
  return members.some((member) => (typeof value === 'object' ? isRecord(member) : sameText(member, value)));
}

const sameText = (a: unknown, b: unknown): boolean => String(a).toLowerCase() === String(b).toLowerCase();

/** Whether an object requires a key, in each alternative that may apply. */
function needs(schema: unknown, key: string, value: Values, root: Schema, depth: number): boolean {
  if (!isRecord(schema) || depth > 16) return false;
  const inner = (part: unknown): boolean => needs(part, key, value, root, depth + 1);
  if (asStrings(schema.required).includes(key)) return true;
  if (typeof schema.$ref === 'string' && inner(resolve(root, schema.$ref))) return true;
  if (asArray(schema.allOf).some(inner)) return true;
  return ['anyOf', 'oneOf'].some(
    (name) => Array.isArray(schema[name]) && meant(schema[name], value, root).every(inner),
  );
}

/** Whether an object allows null under a key. */
function admitsMember(schema: unknown, key: string, value: Values, root: Schema, depth: number): boolean {
  if (!isRecord(schema) || depth > 16) return true;
  if (schema.type !== undefined && schema.type !== 'object' && !asArray(schema.type).includes('object')) return false;
  const named = own(asRecord(schema.properties), key);
  if (named === undefined && schema.additionalProperties === false && !Object.hasOwn(schema, 'patternProperties'))
    return false;
  if (named !== undefined && !admitsNull(named, root, depth + 1)) return false;
  return everyPart(schema, value, root, (part) => admitsMember(part, key, value, root, depth + 1));
}

function admitsNull(schema: unknown, root: Schema, depth: number): boolean {
  if (!isRecord(schema) || depth > 16) return schema !== false;
  if (schema.type !== undefined && schema.type !== 'null' && !asArray(schema.type).includes('null')) return false;
  if (Object.hasOwn(schema, 'const') && schema.const !== null) return false;
  if (Array.isArray(schema.enum) && !schema.enum.includes(null)) return false;
  return everyPart(schema, null, root, (part) => admitsNull(part, root, depth + 1));
}

/** Whether a condition on the parts of a schema holds for the schema as a whole. */
function everyPart(schema: Schema, value: unknown, root: Schema, holds: (part: unknown) => boolean): boolean {
  if (typeof schema.$ref === 'string' && !holds(resolve(root, schema.$ref))) return false;
  if (!asArray(schema.allOf).every(holds)) return false;
  return ['anyOf', 'oneOf'].every((key) => !Array.isArray(schema[key]) || meant(schema[key], value, root).some(holds));
}

/** Anthropic does not guarantee the case of enum members. */
function sameCase(schemas: readonly unknown[], value: string): string {
  const members = schemas.flatMap((schema) => asStrings(asRecord(schema).enum));
  if (members.length === 0 || members.includes(value)) return value;
  const alike = members.filter((member) => sameText(member, value));
  return alike.length === 1 && alike[0] !== undefined ? alike[0] : value;
}
