import jsonata from 'jsonata';
import { Fault } from '../../kernel/errors.ts';
import { isObject } from '../../kernel/json.ts';
import { type ReadVariable, simpleExpression, UNSURE } from './simple-expression.ts';
import { StateError } from './state-error.ts';

/** What an expression can read. */
export interface ExpressionEnvironment {
  readonly read: ReadVariable;
  /** Everything visible by name, for expressions that need JSONata itself. */
  readonly all: () => Readonly<Record<string, unknown>>;
}

/** A JSON value in which strings of the form `{% ... %}` are computed. */
export type Template = (environment: ExpressionEnvironment) => unknown;

/** Compiles a payload once; literal parts are reused unchanged. */
export function compileTemplate(payload: unknown): Template {
  return compile(payload) ?? (() => payload);
}

/** Undefined for a literal, which needs no evaluation. */
function compile(payload: unknown): Template | undefined {
  if (typeof payload === 'string') return compileExpression(payload);
  if (Array.isArray(payload)) return compileParts(payload, (values) => values);
  if (!isObject(payload)) return undefined;
  const keys = Object.keys(payload);
  return compileParts(Object.values(payload), (values) =>
    Object.fromEntries(keys.map((key, index) => [key, values[index]])),
  );
}

function compileParts(parts: readonly unknown[], build: (values: readonly unknown[]) => unknown): Template | undefined {
  const compiled = parts.map(compile);
  if (compiled.every((one) => one === undefined)) return undefined;
  const evaluate = (environment: ExpressionEnvironment): readonly unknown[] =>
    compiled.map((one, index) => (one === undefined ? parts[index] : one(environment)));
  return (environment) => {
    const values = evaluate(environment);
    if (!values.some((value) => value instanceof Promise)) return build(values);
    return Promise.all(values).then(build);
  };
}

function compileExpression(text: string): Template | undefined {
  const match = /^\{%([\s\S]*)%\}$/.exec(text);
  if (match === null) return undefined;
  const source = (match[1] ?? '').trim();
  const simple = simpleExpression(source);
  let expression = simple === undefined ? parse(source, text) : undefined;
  return (environment) => {
    const value = simple === undefined ? UNSURE : simple(environment.read);
    if (value !== UNSURE) return defined(value, text);
    expression ??= parse(source, text);
    return evaluate(expression, environment, text);
  };
}

function parse(source: string, text: string): jsonata.Expression {
  try {
    return jsonata(source);
  } catch (error) {
    throw new Fault('InvalidInput', `${text} is not a JSONata expression: ${describeReason(error)}`);
  }
}

async function evaluate(
  expression: jsonata.Expression,
  environment: ExpressionEnvironment,
  text: string,
): Promise<unknown> {
  try {
    const value: unknown = await expression.evaluate(undefined, environment.all());
    // JSONata adds properties to its own arrays; the result of an expression must be plain JSON.
    return defined(typeof value === 'object' && value !== null ? JSON.parse(JSON.stringify(value)) : value, text);
  } catch (error) {
    if (error instanceof StateError) throw error;
    throw new StateError('States.QueryEvaluationError', `${text} failed: ${describeReason(error)}`);
  }
}

function defined(value: unknown, text: string): unknown {
  if (value !== undefined && typeof value !== 'function') return value;
  throw new StateError('States.QueryEvaluationError', `${text} has no value`);
}

/** JSONata throws plain objects. */
const describeReason = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : String(error);
