import fc from 'fast-check';

type Json = Record<string, unknown>;

const key = fc.constantFrom(
  'a',
  'b',
  'kind',
  'image-url',
  '$weird',
  'ключ',
  'a.b',
  '1st',
  'constructor',
  '__proto__',
  'l'.repeat(70),
);
const note = fc.constantFrom('', 'A note', 'Zweite Zeile\nmit Umlaut ä', '説明');
const count = fc.integer({ min: 0, max: 3 });
const bound = fc.integer({ min: -5, max: 5 });
const primitive = fc.constantFrom<unknown>('red', 'green', '', 'é', 0, 1, 2, -3, 1.5, true, false, null);
const pattern = fc.constantFrom('^[a-z]+$', '^\\d{3}$', '(?=r)red', 'e');

/** Each of these keywords now and then. */
const some = (parts: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<Json> =>
  fc
    .tuple(...Object.entries(parts).map(([name, value]) => fc.tuple(fc.nat(5), fc.constant(name), value)))
    .map((entries) =>
      Object.fromEntries(entries.flatMap(([chance, name, value]) => (chance === 0 ? [[name, value]] : []))),
    );

/** Some properties, and which of them are required; seldom one that is not declared. */
const named = (value: fc.Arbitrary<unknown>): fc.Arbitrary<{ properties: Json; required: string[] }> =>
  fc.array(fc.tuple(key, value, fc.boolean()), { maxLength: 3 }).chain((triples) =>
    fc.constantFrom([], [], [], [], [], [], [], ['undeclared']).map((more) => ({
      properties: Object.fromEntries(triples.map(([name, schema]) => [name, schema])),
      required: [
        ...new Set([
          ...triples.filter(([name, , isRequired]) => isRequired && name !== '__proto__').map(([name]) => name),
          ...more,
        ]),
      ],
    })),
  );

const { node } = fc.letrec<{ node: unknown; leaf: unknown }>((tie) => ({
  leaf: fc.oneof(
    { weight: 4, arbitrary: text() },
    { weight: 4, arbitrary: number() },
    {
      weight: 2,
      arbitrary: fc.constantFrom<unknown>({ type: 'boolean' }, { type: 'null' }, {}, {}, true, true, false),
    },
    { weight: 2, arbitrary: fc.record({ enum: members() }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constantFrom('string', 'integer'), enum: members() }) },
    { weight: 1, arbitrary: fc.constant({ enum: Array.from({ length: 30 }, (_, index) => `value ${index}`) }) },
    { weight: 2, arbitrary: fc.record({ const: primitive }) },
    { weight: 1, arbitrary: fc.constantFrom<unknown>({ const: { deep: [1] } }, { enum: [{ a: 1 }, [2], 'x'] }) },
    { weight: 2, arbitrary: typeLists() },
    { weight: 3, arbitrary: reference() },
  ),
  node: fc.oneof(
    { maxDepth: 3 },
    { weight: 6, arbitrary: tie('leaf') },
    { weight: 3, arbitrary: objectOf(tie('node')) },
    { weight: 2, arbitrary: listOf(tie('node')) },
    { weight: 2, arbitrary: combination(tie('node')) },
  ),
}));

/** JSON Schemas as people and generators write them, and worse: all that some provider is known to refuse. */
export const arbitraryParameters: fc.Arbitrary<Json> = fc.oneof(rootOf(node), rootOfOne(node));

function members(): fc.Arbitrary<readonly unknown[]> {
  return fc.uniqueArray(primitive, { minLength: 1, maxLength: 6 });
}

function text(): fc.Arbitrary<Json> {
  return some({
    description: note,
    title: note,
    minLength: count,
    maxLength: fc.integer({ min: 3, max: 9 }),
    pattern,
    format: fc.constantFrom('date-time', 'uri', 'email', 'made-up'),
    default: fc.constant('red'),
    examples: fc.constant(['x']),
  }).map((rest) => ({ type: 'string', ...rest }));
}

function number(): fc.Arbitrary<Json> {
  return fc
    .tuple(
      fc.constantFrom('number', 'integer'),
      some({
        description: note,
        minimum: bound,
        maximum: fc.integer({ min: 3, max: 9 }),
        exclusiveMinimum: bound,
        exclusiveMaximum: fc.integer({ min: 3, max: 9 }),
        multipleOf: fc.constantFrom(1, 2, 3),
        default: bound,
      }),
    )
    .map(([type, rest]) => ({ type, ...rest }));
}

function typeLists(): fc.Arbitrary<Json> {
  return fc
    .tuple(
      fc.uniqueArray(fc.constantFrom('string', 'number', 'integer', 'boolean', 'null', 'array', 'object'), {
        minLength: 1,
        maxLength: 3,
      }),
      some({ minimum: bound, minLength: count, description: note }),
    )
    .map(([type, rest]) => ({ type, ...rest }));
}

function reference(): fc.Arbitrary<Json> {
  const known = ['#/$defs/Name', '#/$defs/Tree', '#/$defs/Pair', '#', '#anchored'];
  const target = fc.oneof(
    { weight: 30, arbitrary: fc.constantFrom(...known) },
    { weight: 1, arbitrary: fc.constantFrom('#/$defs/Missing', 'https://example.org/other.json') },
  );
  return fc.tuple(target, some({ description: note, minLength: count })).map(([$ref, rest]) => ({ $ref, ...rest }));
}

function objectOf(inner: fc.Arbitrary<unknown>): fc.Arbitrary<Json> {
  return fc
    .tuple(
      named(inner),
      some({
        additionalProperties: fc.oneof(fc.constant(false), fc.constant(false), fc.constant(true), inner),
        patternProperties: fc.record({ '^x': inner }),
        minProperties: count,
        maxProperties: fc.constant(4),
        propertyNames: fc.constant({ maxLength: 80 }),
        dependentRequired: fc.constant({ a: ['b'] }),
        description: note,
      }),
      fc.nat(5),
    )
    .map(([members, rest, chance]) => ({ ...(chance === 0 ? {} : { type: 'object' }), ...members, ...rest }));
}

function listOf(inner: fc.Arbitrary<unknown>): fc.Arbitrary<Json> {
  return some({
    items: inner,
    prefixItems: fc.array(inner, { minLength: 1, maxLength: 2 }),
    minItems: count,
    maxItems: fc.integer({ min: 2, max: 5 }),
    uniqueItems: fc.boolean(),
    description: note,
  }).map((rest) => ({ type: 'array', ...rest }));
}

function combination(inner: fc.Arbitrary<unknown>): fc.Arbitrary<Json> {
  const branches = fc.array(inner, { minLength: 1, maxLength: 3 });
  return fc.oneof(
    fc.record({ anyOf: branches, description: note }, { requiredKeys: ['anyOf'] }) as fc.Arbitrary<Json>,
    fc.record({ oneOf: branches }),
    fc.record({ allOf: branches }),
    fc.tuple(named(inner), branches).map(([members, anyOf]) => ({ type: 'object', ...members, anyOf })),
    fc.record({ not: inner, type: fc.constant('string') }),
    fc.record({ if: inner, then: inner, else: inner }),
  );
}

/** The parameters of a tool around some schemas, with definitions that refer to themselves. */
function rootOf(inner: fc.Arbitrary<unknown>): fc.Arbitrary<Json> {
  const branches = fc.array(named(inner), { minLength: 1, maxLength: 3 });
  return fc
    .tuple(
      named(inner),
      some({
        additionalProperties: fc.oneof(fc.constant(false), fc.constant(true), inner),
        anyOf: branches,
        oneOf: branches,
        allOf: branches,
        not: fc.constant({ required: ['zzz'] }),
        $schema: fc.constant('https://json-schema.org/draft/2020-12/schema'),
      }),
      inner,
    )
    .map(([members, rest, one]) => ({ type: 'object', ...members, ...rest, $defs: definitions(one) }));
}

/** One parameter and little else, so that what becomes of it is seen clearly. */
function rootOfOne(inner: fc.Arbitrary<unknown>): fc.Arbitrary<Json> {
  return fc.tuple(inner, fc.boolean()).map(([a, isRequired]) => ({
    type: 'object',
    properties: { a },
    required: isRequired ? ['a'] : [],
    $defs: definitions({ type: 'boolean' }),
  }));
}

const definitions = (one: unknown): Json => ({
  Name: { type: 'string', minLength: 1, description: 'A name', $anchor: 'anchored' },
  Tree: {
    type: 'object',
    properties: { label: { type: 'string' }, children: { type: 'array', items: { $ref: '#/$defs/Tree' } } },
    required: ['label'],
  },
  Pair: { type: 'object', properties: { one, two: { $ref: '#/$defs/Name' } }, required: ['one'] },
});
