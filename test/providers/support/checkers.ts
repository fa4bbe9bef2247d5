import assert from 'node:assert/strict';

type Schema = Readonly<Record<string, unknown>>;
type Check = (schema: Schema) => void;

const isObject = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const TYPES = ['string', 'number', 'integer', 'boolean', 'array', 'object'];

interface Subset {
  readonly keywords: readonly string[];
  readonly formats?: readonly string[];
  readonly enumTypes?: readonly string[];
  readonly typeLists?: boolean;
  readonly nullType?: boolean;
  /** What else must hold of every schema in it. */
  readonly each?: (node: Schema, path: string) => void;
}

/** Visits a schema of a subset and asserts that nothing outside the subset is in it. */
function within(subset: Subset): Check {
  const visit = (node: unknown, path: string): void => {
    assert.ok(isObject(node), `${path} is an object`);
    for (const key of Object.keys(node)) assert.ok(subset.keywords.includes(key), `${path} has ${key}`);
    checkType(node, path, subset);
    checkEnum(node, path, subset);
    if (node.format !== undefined && subset.formats)
      assert.ok(subset.formats.includes(String(node.format)), `${path} has format ${node.format}`);
    if (node.description !== undefined) assert.equal(typeof node.description, 'string');
    subset.each?.(node, path);
    for (const [key, child] of Object.entries(isObject(node.properties) ? node.properties : {}))
      visit(child, `${path}/${key}`);
    for (const [key, child] of Object.entries(isObject(node.$defs) ? node.$defs : {}))
      visit(child, `${path}/$defs/${key}`);
    for (const key of ['anyOf', 'prefixItems'])
      list(node[key]).forEach((child, index) => {
        visit(child, `${path}/${key}/${index}`);
      });
    if (node.items !== undefined) visit(node.items, `${path}/items`);
    if (isObject(node.additionalProperties)) visit(node.additionalProperties, `${path}/additionalProperties`);
  };
  return (schema) => {
    assert.equal(schema.type, 'object');
    for (const key of ['anyOf', 'oneOf', 'allOf', 'enum', 'const', 'not', '$ref'])
      assert.ok(!Object.hasOwn(schema, key), `${key} at the top`);
    visit(schema, '');
  };
}

function checkType(node: Schema, path: string, subset: Subset): void {
  const known = [...TYPES, ...(subset.nullType ? ['null'] : [])];
  const types = Array.isArray(node.type) ? node.type : node.type === undefined ? [] : [node.type];
  assert.ok(subset.typeLists || !Array.isArray(node.type), `${path} has a list of types`);
  assert.ok(
    types.every((type) => known.includes(String(type))),
    `${path} is of type ${node.type}`,
  );
  assert.equal(new Set(types).size, types.length);
  if (types.includes('array'))
    assert.ok(node.items !== undefined || node.prefixItems !== undefined, `${path} has no items`);
  assert.equal(new Set(list(node.required)).size, list(node.required).length, `${path} requires a key twice`);
}

function checkEnum(node: Schema, path: string, subset: Subset): void {
  if (node.enum === undefined) return;
  assert.ok(Array.isArray(node.enum) && node.enum.length > 0, `${path} has an empty enum`);
  for (const member of node.enum) {
    const type = member === null ? 'null' : Array.isArray(member) ? 'array' : typeof member;
    if (subset.enumTypes)
      assert.ok(subset.enumTypes.includes(type), `${path} has the enum member ${JSON.stringify(member)}`);
  }
}

const declared = (node: Schema, path: string): void => {
  const properties = isObject(node.properties) ? node.properties : {};
  for (const key of list(node.required))
    assert.ok(Object.hasOwn(properties, String(key)), `${path} requires ${key}, which is not declared`);
};

const closed = (node: Schema, path: string): void => {
  if (node.type !== 'object' && !list(node.type).includes('object')) return;
  assert.equal(node.additionalProperties, false, `${path} is not closed`);
  declared(node, path);
};

const refAlone = (node: Schema, path: string): void => {
  if (node.$ref !== undefined) assert.deepEqual(Object.keys(node), ['$ref'], `${path} has more than $ref`);
  const isTyped = ['type', 'anyOf', '$ref', 'enum', 'const'].some((key) => node[key] !== undefined);
  assert.ok(isTyped, `${path} has no type`);
};

const STRICT = [
  'type',
  'title',
  'description',
  'properties',
  'required',
  'items',
  'anyOf',
  'enum',
  'const',
  '$ref',
  '$defs',
  'pattern',
  'format',
  'additionalProperties',
  'minItems',
];

export const openaiStrict = within({
  keywords: [...STRICT, 'maxItems', 'multipleOf', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'],
  formats: ['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid'],
  enumTypes: ['string', 'number', 'boolean', 'null'],
  typeLists: true,
  nullType: true,
  each: (node, path) => {
    closed(node, path);
    refAlone(node, path);
    const keys = Object.keys(isObject(node.properties) ? node.properties : {});
    if (keys.length > 0)
      assert.deepEqual([...list(node.required)].sort(), [...keys].sort(), `${path} has optional keys`);
  },
});

export const anthropicStrict = within({
  keywords: [...STRICT, 'default'],
  formats: ['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'uri', 'ipv4', 'ipv6', 'uuid'],
  enumTypes: ['string', 'number', 'boolean', 'null'],
  typeLists: true,
  nullType: true,
  each: (node, path) => {
    closed(node, path);
    refAlone(node, path);
    assert.ok(node.minItems === undefined || node.minItems === 0 || node.minItems === 1);
    assert.ok(!/\(\?[=!<]/.test(String(node.pattern ?? '')), `${path} has a lookaround`);
    for (const key of Object.keys(isObject(node.properties) ? node.properties : {}))
      assert.match(key, /^[a-zA-Z0-9_.-]{1,64}$/);
  },
});

export const cohereStrict = within({
  keywords: STRICT.filter((key) => key !== 'minItems' && key !== 'additionalProperties'),
  formats: ['date-time', 'uuid', 'date', 'time'],
  enumTypes: ['string', 'number', 'boolean', 'null'],
  nullType: true,
  each: (node, path) => {
    refAlone(node, path);
    declared(node, path);
  },
});

const COUNTS = ['minItems', 'maxItems', 'minLength', 'maxLength', 'minProperties', 'maxProperties'];

export const gemini = within({
  keywords: [
    'type',
    'format',
    'title',
    'description',
    'nullable',
    'enum',
    'items',
    'properties',
    'required',
    'anyOf',
    'default',
    'pattern',
    'minimum',
    'maximum',
    ...COUNTS,
  ],
  formats: ['date-time', 'enum', 'float', 'double', 'int32', 'int64'],
  enumTypes: ['string'],
  each: (node, path) => {
    declared(node, path);
    if (node.anyOf !== undefined) assert.deepEqual(Object.keys(node), ['anyOf'], `${path} has more than anyOf`);
    else assert.equal(typeof node.type, 'string', `${path} has no type`);
    if (node.enum !== undefined) assert.equal(node.type, 'string', `${path} has an enum that is not of strings`);
    assert.ok(!list(node.enum).includes(''), `${path} has an empty enum member`);
    for (const key of COUNTS)
      assert.ok(node[key] === undefined || typeof node[key] === 'string', `${path} has a number in ${key}`);
    for (const key of Object.keys(isObject(node.properties) ? node.properties : {}))
      assert.match(key, /^[A-Za-z_][A-Za-z0-9_]{0,63}$/);
  },
});

export const geminiJson = within({
  keywords: [
    '$defs',
    '$ref',
    'type',
    'format',
    'title',
    'description',
    'enum',
    'items',
    'prefixItems',
    'minItems',
    'maxItems',
    'minimum',
    'maximum',
    'anyOf',
    'properties',
    'additionalProperties',
    'required',
  ],
  enumTypes: ['string', 'number', 'null'],
  typeLists: true,
  nullType: true,
  each: (node, path) => {
    if (node.$ref !== undefined) assert.deepEqual(Object.keys(node), ['$ref'], `${path} has more than $ref`);
  },
});

const FLAT = [
  'type',
  'title',
  'description',
  'default',
  'properties',
  'required',
  'items',
  'anyOf',
  'enum',
  'additionalProperties',
];

export const ollama = within({ keywords: FLAT, typeLists: true, nullType: true });

export const openrouter = within({
  keywords: [
    ...FLAT,
    'format',
    'pattern',
    'minimum',
    'maximum',
    'exclusiveMinimum',
    'exclusiveMaximum',
    'multipleOf',
    'uniqueItems',
    ...COUNTS,
  ],
  enumTypes: ['string'],
  nullType: true,
});

/** JSON Schema as a whole, but for what OpenAI and Anthropic refuse; that it is valid 2020-12 Ajv checks. */
export const portable: Check = (schema) => {
  assert.equal(schema.type, 'object');
  assert.ok(isObject(schema.properties));
  for (const key of ['anyOf', 'oneOf', 'allOf', 'enum', 'const', 'not', '$ref', '$schema', '$id'])
    assert.ok(!Object.hasOwn(schema, key), `${key} at the top`);
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const { type } = node as Schema;
    if (type === 'array' || list(type).includes('array'))
      assert.ok('items' in node || 'prefixItems' in node || 'default' in node, 'a list without items');
    Object.values(node).forEach(visit);
  };
  visit(schema);
};
