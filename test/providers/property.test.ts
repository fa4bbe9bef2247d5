import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import {
  convert,
  type DefineOptions,
  type ProviderName,
  providers,
  restoreArguments,
} from '../../shared/providers/index.ts';
import { encodeName } from '../../shared/providers/names.ts';
import { arbitraryParameters } from './support/arbitrary-schema.ts';
import * as checkers from './support/checkers.ts';
import { randomOf, sample } from './support/sample.ts';
import { aTool } from './support/tools.ts';
import { accepts } from './support/validate.ts';

type Schema = Readonly<Record<string, unknown>>;
type Validate = (value: unknown) => boolean;

const RUNS = 2000;
const ajv = new Ajv2020({
  strict: false,
  validateFormats: false,
  ownProperties: true,
  logger: false,
  validateSchema: false,
  code: { optimize: false },
});

interface Form {
  readonly provider: ProviderName;
  readonly options?: DefineOptions;
  readonly check: (schema: Schema) => void;
}

const verbatim = (schema: Schema): void => assert.equal(schema.type, 'object');

const forms: readonly Form[] = [
  { provider: 'openai', check: checkers.portable },
  { provider: 'openai-responses', check: checkers.portable },
  { provider: 'anthropic', check: checkers.portable },
  { provider: 'bedrock', check: checkers.portable },
  { provider: 'mistral', check: checkers.portable },
  { provider: 'cohere', check: checkers.portable },
  { provider: 'mcp', check: verbatim },
  { provider: 'gemini', check: checkers.gemini },
  { provider: 'gemini', options: { schema: 'json' }, check: checkers.geminiJson },
  { provider: 'ollama', check: checkers.ollama },
  { provider: 'openrouter', check: checkers.openrouter },
  { provider: 'openai', options: { strict: true }, check: checkers.openaiStrict },
  { provider: 'anthropic', options: { strict: true }, check: checkers.anthropicStrict },
  { provider: 'cohere', options: { strict: true }, check: checkers.cohereStrict },
];

test('2,000 schemas convert for every provider into what it documents, and mean the same where no warning says otherwise', () => {
  const seen = { converted: 0, sound: 0, complete: 0, plain: 0, left: 0 };
  fc.assert(
    fc.property(arbitraryParameters, fc.integer(), (parameters, seed) => {
      const original = compiled(parameters);
      for (const form of forms) checkForm(form, parameters, original, randomOf(seed), seen);
    }),
    { numRuns: RUNS, seed: 20261107, endOnFailure: true },
  );
  // A property that is seldom tried proves little.
  assert.ok(seen.converted > RUNS * 11, JSON.stringify(seen));
  assert.ok(seen.sound > RUNS && seen.complete > RUNS, JSON.stringify(seen));
});

function checkForm(
  form: Form,
  parameters: Schema,
  original: Validate | undefined,
  random: () => number,
  seen: Record<string, number>,
): void {
  const { provider, options = {} } = form;
  const name = `${provider} ${JSON.stringify(options)}`;
  const tool = aTool({ parameters });
  const { value, warnings, left_out } = convert(provider, [tool], options);
  const schema = schemaOf(value);
  if (left_out.length > 0 || schema === undefined) {
    seen.left = (seen.left ?? 0) + 1;
    return;
  }
  const isPlain = warnings.some(({ kind }) => kind === 'plain');
  within(name, schema, () => (isPlain ? checkers.portable : form.check)(schema));
  seen.converted = (seen.converted ?? 0) + 1;
  if (!original) return;
  const { keys } = providers[provider] as { keys?: RegExp };
  const converted: Validate = (values) => accepts(schema, values);
  for (let count = 0; count < 4; count += 1) {
    const values = sample(schema, random) as Schema;
    if (converted(values) && !warnings.some(({ kind }) => kind === 'loosened')) {
      seen.sound = (seen.sound ?? 0) + 1;
      const restored = restoreArguments(parameters, values, keys);
      assert.ok(
        original(restored),
        `${name} accepts what the tool refuses: ${JSON.stringify({ values, restored, schema })}`,
      );
    }
    const own = sample(parameters, random);
    if (!options.strict && original(own) && !warnings.some(({ kind }) => kind === 'narrowed')) {
      seen.complete = (seen.complete ?? 0) + 1;
      const sent = keys ? renamed(own, keys) : own;
      assert.ok(converted(sent), `${name} refuses what the tool accepts: ${JSON.stringify({ own, schema })}`);
    }
  }
}

function within(name: string, schema: Schema, check: () => void): void {
  try {
    check();
  } catch (error) {
    throw new Error(`${name}: ${(error as Error).message} in ${JSON.stringify(schema)}`);
  }
}

/** Undefined when a reference of the original leads nowhere: then no value can be judged. */
function compiled(schema: Schema): Validate | undefined {
  try {
    const validate = ajv.compile(schema);
    return (value) => validate(value);
  } catch (error) {
    if (/can't resolve reference/.test(String(error))) return undefined;
    throw error;
  } finally {
    ajv.removeSchema();
  }
}

function schemaOf(value: unknown): Schema | undefined {
  const [entry] = value as readonly Schema[];
  const [declaration] = (entry?.functionDeclarations ?? []) as readonly Schema[];
  const at = (declaration ?? entry?.function ?? entry?.toolSpec ?? entry) as Schema | undefined;
  const inner = (at?.inputSchema as Schema | undefined)?.json;
  return (at?.parameters ?? at?.parametersJsonSchema ?? at?.input_schema ?? inner ?? at?.inputSchema) as
    | Schema
    | undefined;
}

function renamed(value: unknown, keys: RegExp): unknown {
  if (Array.isArray(value)) return value.map((entry) => renamed(entry, keys));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [encodeName(key, keys), renamed(entry, keys)]));
}
