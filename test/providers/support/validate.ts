type Schema = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const same = (a: unknown, b: unknown): boolean => canonical(a) === canonical(b);

/** Whether a value satisfies a schema, by a plain reading of JSON Schema 2020-12; the tests hold it against Ajv. */
export function accepts(root: Schema, value: unknown, schema: unknown = root): boolean {
  if (schema === true) return true;
  if (!isObject(schema)) return false;
  if (typeof schema.$ref === 'string' && !accepts(root, value, target(root, schema.$ref))) return false;
  if (schema.nullable === true && value === null) return true;
  const types = typeof schema.type === 'string' ? [schema.type] : list(schema.type);
  if (types.length > 0 && !types.some((type) => isOfType(value, type))) return false;
  if (Array.isArray(schema.enum) && !schema.enum.some((member) => same(member, value))) return false;
  if (Object.hasOwn(schema, 'const') && !same(schema.const, value)) return false;
  if (!combinationFits(root, schema, value)) return false;
  if (typeof value === 'number') return numberFits(schema, value);
  if (typeof value === 'string') return textFits(schema, value);
  if (Array.isArray(value)) return listFits(root, schema, value);
  return !isObject(value) || objectFits(root, schema, value);
}

function combinationFits(root: Schema, schema: Schema, value: unknown): boolean {
  const holds = (branch: unknown): boolean => accepts(root, value, branch);
  if (Array.isArray(schema.anyOf) && !schema.anyOf.some(holds)) return false;
  if (Array.isArray(schema.oneOf) && schema.oneOf.filter(holds).length !== 1) return false;
  if (Array.isArray(schema.allOf) && !schema.allOf.every(holds)) return false;
  if (Object.hasOwn(schema, 'not') && holds(schema.not)) return false;
  return !Object.hasOwn(schema, 'if') || holds((holds(schema.if) ? schema.then : schema.else) ?? true);
}

function target(root: Schema, reference: string): unknown {
  if (!reference.includes('/')) return reference === '#' ? root : anchored(root, reference.slice(1));
  return reference
    .slice(2)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((node, part) => (typeof node === 'object' && node ? (node as Schema)[part] : undefined), root);
}

const anchored = (root: Schema, name: string): unknown =>
  Object.values(isObject(root.$defs) ? root.$defs : {}).find((schema) => isObject(schema) && schema.$anchor === name);

const limit = (schema: Schema, keyword: string, otherwise: number): number =>
  schema[keyword] === undefined ? otherwise : Number(schema[keyword]);

function isOfType(value: unknown, type: unknown): boolean {
  if (type === 'null') return value === null;
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'array') return Array.isArray(value);
  return type === 'object' ? isObject(value) : typeof value === type;
}

const numberFits = (schema: Schema, value: number): boolean =>
  value >= limit(schema, 'minimum', -Infinity) &&
  value <= limit(schema, 'maximum', Infinity) &&
  value > limit(schema, 'exclusiveMinimum', -Infinity) &&
  value < limit(schema, 'exclusiveMaximum', Infinity) &&
  Number.isInteger(value / limit(schema, 'multipleOf', value || 1));

const textFits = (schema: Schema, value: string): boolean =>
  [...value].length >= limit(schema, 'minLength', 0) &&
  [...value].length <= limit(schema, 'maxLength', Infinity) &&
  (schema.pattern === undefined || new RegExp(String(schema.pattern), 'u').test(value));

function listFits(root: Schema, schema: Schema, value: readonly unknown[]): boolean {
  if (value.length < limit(schema, 'minItems', 0) || value.length > limit(schema, 'maxItems', Infinity)) return false;
  if (schema.uniqueItems === true && new Set(value.map(canonical)).size < value.length) return false;
  const prefix = list(schema.prefixItems);
  return value.every((entry, index) => accepts(root, entry, prefix[index] ?? schema.items ?? true));
}

function objectFits(root: Schema, schema: Schema, value: Schema): boolean {
  const keys = Object.keys(value);
  const has = (key: unknown): boolean => Object.hasOwn(value, String(key));
  if (keys.length < limit(schema, 'minProperties', 0)) return false;
  if (keys.length > limit(schema, 'maxProperties', Infinity)) return false;
  if (!list(schema.required).every(has)) return false;
  for (const [key, needed] of Object.entries(isObject(schema.dependentRequired) ? schema.dependentRequired : {})) {
    if (has(key) && !list(needed).every(has)) return false;
  }
  const names = schema.propertyNames;
  if (names !== undefined && !keys.every((key) => accepts(root, key, names))) return false;
  return keys.every((key) => memberForms(schema, key).every((form) => accepts(root, value[key], form)));
}

function memberForms(schema: Schema, key: string): readonly unknown[] {
  const properties = isObject(schema.properties) ? schema.properties : {};
  const patterns = Object.entries(isObject(schema.patternProperties) ? schema.patternProperties : {});
  const forms = patterns.filter(([pattern]) => new RegExp(pattern, 'u').test(key)).map(([, form]) => form);
  if (Object.hasOwn(properties, key)) forms.push(properties[key]);
  return forms.length > 0 ? forms : [schema.additionalProperties ?? true];
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const keys = Object.keys(value).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`).join()}}`;
}
