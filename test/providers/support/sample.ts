type Schema = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** A random source from a seed (a linear congruence, constants of Numerical Recipes). */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** A value that tries to satisfy a schema, and mostly does; whoever uses it validates it first. */
export function sample(root: Schema, random: () => number, schema: unknown = root, depth = 0): unknown {
  const pick = <T>(values: readonly T[]): T | undefined => values[Math.floor(random() * values.length)];
  if (!isObject(schema) || depth > 7) return pick(['red', 1, true, null]);
  if (typeof schema.$ref === 'string')
    return sample(root, random, { ...without(schema, '$ref'), ...objectAt(root, schema.$ref) }, depth + 1);
  for (const key of ['allOf', 'anyOf', 'oneOf']) {
    const branches = list(schema[key]).filter(isObject);
    if (branches.length === 0) continue;
    const chosen = key === 'allOf' ? branches : [pick(branches) ?? {}];
    return sample(root, random, chosen.reduce(overlay, without(schema, key)), depth + 1);
  }
  if (schema.nullable === true && random() < 0.2) return null;
  if (Object.hasOwn(schema, 'const')) return schema.const;
  if (Array.isArray(schema.enum)) return pick(schema.enum);
  const type = pick(typeof schema.type === 'string' ? [schema.type] : list(schema.type)) ?? guess(schema, pick);
  if (type === 'object') return objectFrom(root, random, schema, depth);
  if (type === 'array') return listFrom(root, random, schema, depth);
  return scalar(String(type), schema, random, pick);
}

const without = (schema: Schema, key: string): Schema =>
  Object.fromEntries(Object.entries(schema).filter(([name]) => name !== key));

function objectAt(root: Schema, reference: string): Schema {
  const found = reference
    .split('/')
    .slice(1)
    .reduce<unknown>((node, part) => (isObject(node) ? node[part] : undefined), root);
  return isObject(found) ? found : {};
}

function overlay(base: Schema, other: Schema): Schema {
  const properties = { ...(base.properties as object), ...(other.properties as object) };
  const required = [...list(base.required), ...list(other.required)];
  return {
    ...base,
    ...other,
    ...(Object.keys(properties).length > 0 ? { properties } : {}),
    ...(required.length > 0 ? { required } : {}),
  };
}

function guess(schema: Schema, pick: (types: readonly string[]) => string | undefined): string {
  if (isObject(schema.properties)) return 'object';
  return pick(['string', 'integer', 'boolean', 'null', 'object', 'array']) ?? 'string';
}

function objectFrom(root: Schema, random: () => number, schema: Schema, depth: number): Schema {
  const properties = isObject(schema.properties) ? schema.properties : {};
  const required = new Set(list(schema.required).map(String));
  const keys = [...new Set([...Object.keys(properties), ...required])].filter((key) => key !== '__proto__');
  const chosen = keys.filter((key) => required.has(key) || random() < 0.6);
  const rest = schema.additionalProperties;
  if (rest !== false && random() < 0.2) chosen.push('surplus');
  return Object.fromEntries(
    chosen.map((key) => [
      key,
      sample(root, random, Object.hasOwn(properties, key) ? properties[key] : (rest ?? true), depth + 1),
    ]),
  );
}

function listFrom(root: Schema, random: () => number, schema: Schema, depth: number): readonly unknown[] {
  const least = Number(schema.minItems ?? 0);
  const most = Math.min(Number(schema.maxItems ?? least + 2), least + 2);
  const length = least + Math.floor(random() * (most - least + 1));
  const prefix = list(schema.prefixItems);
  return Array.from({ length }, (_, index) => sample(root, random, prefix[index] ?? schema.items ?? true, depth + 1));
}

function scalar(
  type: string,
  schema: Schema,
  random: () => number,
  pick: <T>(values: readonly T[]) => T | undefined,
): unknown {
  if (type === 'boolean') return random() < 0.5;
  if (type === 'null') return null;
  if (type === 'string') return pick(['red', 'e', '', 'abc', '123', 'long enough', 'é', 'value 1', 'greener']);
  const low = Number(schema.minimum ?? schema.exclusiveMinimum ?? -6);
  const high = Number(schema.maximum ?? schema.exclusiveMaximum ?? low + 12);
  // Bounds are where mistakes are.
  const value = random() < 0.4 ? (random() < 0.5 ? low : high) : low + Math.floor(random() * 12);
  return type === 'integer' || random() < 0.7 ? value : value + 0.5;
}
