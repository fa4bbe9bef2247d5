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
import { tries } from '../support/sampling.ts';
import { arbitraryParameters } from './support/arbitrary-schema.ts';
import * as checkers from './support/checkers.ts';
import { randomOf, sample } from './support/sample.ts';
import { aTool } from './support/tools.ts';
import { accepts } from './support/validate.ts';

type Schema = Readonly<Record<string, unknown>>;
type Validate = (value: unknown) => boolean;

const RUNS = tries(60, 2000);
const SEED = Number(process.env.SEED ?? 20261107);
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
  { provider: 'gemini-interactions', check: checkers.geminiJson },
  { provider: 'open-responses', check: checkers.portable },
  { provider: 'ollama', check: checkers.ollama },
  { provider: 'openrouter', check: checkers.openrouter },
  { provider: 'openai', options: { strict: true }, check: checkers.openaiStrict },
  { provider: 'anthropic', options: { strict: true }, check: checkers.anthropicStrict },
  { provider: 'cohere', options: { strict: true }, check: checkers.cohereStrict },
];

interface Seen {
  converted: number;
  sound: number;
  complete: number;
  left: number;
}

/** One generated schema, judged by Ajv, and arguments that satisfy it. */
interface Subject {
  readonly parameters: Schema;
  readonly accepts: Validate | undefined;
  readonly values: readonly unknown[];
  readonly random: () => number;
  /** Forms already judged: many providers share one. */
  readonly done: Set<string>;
}

test('for generated schemas every provider’s output follows its documentation and keeps the meaning, or warns', () => {
  const seen: Seen = { converted: 0, sound: 0, complete: 0, left: 0 };
  fc.assert(
    fc.property(arbitraryParameters, fc.integer(), (parameters, seed) => {
      const subject = subjectOf(parameters, randomOf(seed));
      for (const form of forms) checkForm(form, subject, seen);
    }),
    { numRuns: RUNS, seed: SEED },
  );
  // A property that is seldom tried proves little.
  assert.ok(seen.converted > RUNS * 12 && seen.left < RUNS * 2, JSON.stringify(seen));
  assert.ok(seen.sound > RUNS * 6 && seen.complete > RUNS * 6, JSON.stringify(seen));
});

function subjectOf(parameters: Schema, random: () => number): Subject {
  const judge = compiled(parameters);
  const values = judge ? Array.from({ length: 6 }, () => sample(parameters, random)) : [];
  for (const value of values) assert.equal(accepts(parameters, value), judge?.(value), JSON.stringify(value));
  return { parameters, accepts: judge, values: values.filter((value) => judge?.(value)), random, done: new Set() };
}

function checkForm(form: Form, subject: Subject, seen: Seen): void {
  const { provider, options = {} } = form;
  const name = `${provider} ${JSON.stringify(options)}`;
  const { value, warnings, left_out } = convert(provider, [aTool({ parameters: subject.parameters })], options);
  const schema = schemaOf(value);
  if (left_out.length > 0) {
    seen.left += 1;
    const isImpossible = left_out.some(({ reason }) => /no arguments could satisfy/.test(reason));
    assert.ok(!isImpossible || subject.values.length === 0, `${name} is left out, but can be called`);
    assert.ok(isImpossible || options.strict, `${name} is left out: ${left_out[0]?.reason}`);
    return;
  }
  seen.converted += 1;
  const isPlain = warnings.some(({ kind }) => kind === 'plain');
  if (!schema) {
    assert.equal(provider, 'gemini');
    return;
  }
  within(name, schema, () => (isPlain ? checkers.portable : form.check)(schema));
  const text = `${'keys' in providers[provider]} ${JSON.stringify(schema)}`;
  if (!subject.accepts || subject.done.has(text)) return;
  subject.done.add(text);
  const kinds = new Set(warnings.map(({ kind }) => kind));
  if (!kinds.has('loosened')) checkSound(name, form, schema, subject, seen);
  if (!kinds.has('narrowed') && (!options.strict || isPlain)) checkComplete(name, form, schema, subject, seen);
}

/** What the provider lets through, the tool accepts. */
function checkSound(name: string, form: Form, schema: Schema, subject: Subject, seen: Seen): void {
  for (let count = 0; count < 4; count += 1) {
    const values = sample(schema, subject.random) as Schema;
    if (!accepts(schema, values)) continue;
    seen.sound += 1;
    const restored = restoreArguments(subject.parameters, values, keysOf(form));
    // Under oneOf a null more or less can decide by itself.
    if (subject.accepts?.(restored) || subject.accepts?.(values)) continue;
    assert.fail(`${name} accepts what the tool refuses: ${JSON.stringify({ values, restored, schema })}`);
  }
}

/** What the tool accepts, the provider lets through. */
function checkComplete(name: string, form: Form, schema: Schema, subject: Subject, seen: Seen): void {
  const keys = keysOf(form);
  for (const value of subject.values) {
    seen.complete += 1;
    if (accepts(schema, keys ? renamed(value, keys) : value)) continue;
    assert.fail(`${name} refuses what the tool accepts: ${JSON.stringify({ value, schema })}`);
  }
}

const keysOf = ({ provider }: Form): RegExp | undefined => (providers[provider] as { keys?: RegExp }).keys;

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
