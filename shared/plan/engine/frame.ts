import { omitUndefined } from '../../kernel/omit-undefined.ts';
import type { Cancel } from './cancel.ts';
import { bytesWithin, jsonWithin } from './limits.ts';
import type { EngineEvent, EnginePorts } from './ports.ts';
import type { PreparedMachine } from './prepare.ts';
import { StateError } from './state-error.ts';
import type { ExpressionEnvironment } from './template.ts';
import type { Variables } from './variables.ts';

/** One execution. */
export interface Execution {
  readonly prepared: PreparedMachine;
  readonly ports: EnginePorts;
  readonly functions: Readonly<Record<string, unknown>>;
  /** The part of the context object that never changes. */
  readonly context: Readonly<Record<string, unknown>>;
}

/** The context in which a state runs. */
export interface Frame {
  readonly execution: Execution;
  readonly variables: Variables;
  readonly cancel: Cancel;
  /** The current item of a Map. */
  readonly item?: { readonly Index: number; readonly Value: unknown };
}

/** A state that is being run, once or again. */
export interface StateVisit {
  readonly frame: Frame;
  readonly name: string;
  readonly input: unknown;
  readonly enteredAt: string;
  /** The number of retries so far; undefined for a state that cannot be retried. */
  readonly retryCount?: number;
  readonly token?: string;
}

/** The result of a state. Without `next` the scope has ended. */
export interface Transition {
  readonly output: unknown;
  readonly next?: string | undefined;
}

/** The fields of `$states` that expressions may read, besides input and context. */
export interface StatesFields {
  readonly result?: unknown;
  readonly errorOutput?: unknown;
}

/** Evaluates a payload; a promise only where JSONata itself was needed. */
export function evaluate(visit: StateVisit, payload: unknown, found: StatesFields = {}): unknown {
  const template = visit.frame.execution.prepared.templates.get(payload);
  return template === undefined ? payload : template(createEnvironment(visit, found));
}

interface Results {
  readonly Assign?: Readonly<Record<string, unknown>> | undefined;
  readonly Output?: unknown;
}

/** Evaluates Assign and Output with the values on entry, then assigns; without Output the given result is kept. */
export async function assignAndOutput(
  visit: StateVisit,
  rule: Results,
  given: unknown,
  found: StatesFields = {},
): Promise<unknown> {
  const output = rule.Output === undefined ? given : await evaluate(visit, rule.Output, found);
  if (rule.Assign !== undefined) {
    visit.frame.variables.assign((await evaluate(visit, rule.Assign, found)) as Readonly<Record<string, unknown>>);
  }
  bytesWithin(output, `the output of ${visit.name}`);
  return output;
}

/** Evaluates a payload to a copy as plain JSON, within the quota. */
export async function evaluateJson(visit: StateVisit, payload: unknown, what: string): Promise<unknown> {
  return jsonWithin(payload === undefined ? visit.input : await evaluate(visit, payload), `${what} of ${visit.name}`);
}

/** Evaluates a number of seconds; undefined when there is none. */
export async function seconds(
  visit: StateVisit,
  payload: unknown,
  field: string,
  least = 1,
): Promise<number | undefined> {
  if (payload === undefined) return undefined;
  const value = await evaluate(visit, payload);
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= 99_999_999) return value;
  const message = `${field} of ${visit.name} is ${JSON.stringify(value)}, not a whole number from ${least} to 99999999`;
  throw new StateError('States.QueryEvaluationError', message);
}

/** The fields of an event besides its time. */
export type EngineEventBody = EngineEvent extends infer E ? (E extends unknown ? Omit<E, 'at'> : never) : never;

export function report({ ports }: Execution, event: EngineEventBody): void {
  ports.onEvent?.({ at: ports.now(), ...event });
}

function createEnvironment(visit: StateVisit, found: StatesFields): ExpressionEnvironment {
  const { frame } = visit;
  const states = { input: visit.input, ...found, context: createContext(visit) };
  return {
    read: (name) => (name === 'states' ? states : frame.variables.read(name)),
    all: () => ({ ...frame.execution.functions, ...frame.variables.all(), states }),
  };
}

function createContext({ frame, name, enteredAt, retryCount, token }: StateVisit): Readonly<Record<string, unknown>> {
  return omitUndefined({
    ...frame.execution.context,
    State: omitUndefined({ Name: name, EnteredTime: enteredAt, RetryCount: retryCount }),
    Task: token === undefined ? undefined : { Token: token },
    Map: frame.item === undefined ? undefined : { Item: frame.item },
  });
}
