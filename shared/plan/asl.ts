import * as z from 'zod';
import { Fault } from '../kernel/errors.ts';
import { invalidInput } from '../kernel/zod-fault.ts';

/** Amazon States Language in JSONata mode, as far as plans and the local engine use it. */

const Name = z.string().min(1).max(80);
const Assign = z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,79}$/), z.json());
const Errors = z.array(z.string().min(1)).min(1);
const expression = z.string().regex(/^\{%[\s\S]*%\}$/, 'must be a number or a {% %} expression');
const Seconds = z.union([z.int().min(1).max(99_999_999), expression]);

export const Retrier = z.strictObject({
  ErrorEquals: Errors,
  IntervalSeconds: z.int().min(1).max(99_999_999).optional(),
  MaxAttempts: z.int().min(0).max(99_999_999).optional(),
  BackoffRate: z.number().min(1).optional(),
  MaxDelaySeconds: z.int().min(1).max(31_622_400).optional(),
  JitterStrategy: z.enum(['FULL', 'NONE']).optional(),
  Comment: z.string().optional(),
});
export type Retrier = Readonly<z.infer<typeof Retrier>>;

export const Catcher = z.strictObject({
  ErrorEquals: Errors,
  Next: Name,
  Assign: Assign.optional(),
  Output: z.json().optional(),
  Comment: z.string().optional(),
});
export type Catcher = Readonly<z.infer<typeof Catcher>>;

const common = { Comment: z.string().optional(), QueryLanguage: z.literal('JSONata').optional() };
const flow = { Next: Name.optional(), End: z.literal(true).optional() };
const output = { Assign: Assign.optional(), Output: z.json().optional() };
const failure = { Retry: z.array(Retrier).optional(), Catch: z.array(Catcher).optional() };

/** A set of states with transitions between them: a machine, a branch, or the iteration of a Map. */
export interface StateScope {
  readonly StartAt: string;
  readonly States: Readonly<Record<string, State>>;
  readonly Comment?: string | undefined;
}
const States: z.ZodType<StateScope['States']> = z.lazy(() => z.record(z.string(), State));
const scope = { StartAt: Name, States, Comment: z.string().optional() };
const StateScope: z.ZodType<StateScope> = z.strictObject(scope);
const Processor: z.ZodType<StateScope> = z.strictObject({
  ...scope,
  ProcessorConfig: z.strictObject({ Mode: z.literal('INLINE') }).optional(),
});

const TaskState = z.strictObject({
  Type: z.literal('Task'),
  Resource: z.string().min(1),
  Arguments: z.json().optional(),
  TimeoutSeconds: Seconds.optional(),
  HeartbeatSeconds: Seconds.optional(),
  Credentials: z.json().optional(),
  ...common,
  ...flow,
  ...output,
  ...failure,
});

const ParallelState = z.strictObject({
  Type: z.literal('Parallel'),
  Arguments: z.json().optional(),
  Branches: z.array(StateScope).min(1),
  ...common,
  ...flow,
  ...output,
  ...failure,
});

const MapState = z.strictObject({
  Type: z.literal('Map'),
  Items: z.json().optional(),
  ItemSelector: z.json().optional(),
  MaxConcurrency: z.union([z.int().min(0), expression]).optional(),
  ItemProcessor: Processor,
  ...common,
  ...flow,
  ...output,
  ...failure,
});

const ChoiceState = z.strictObject({
  Type: z.literal('Choice'),
  Choices: z
    .array(
      z.strictObject({
        Condition: z.union([z.boolean(), expression]),
        Next: Name,
        ...output,
        Comment: z.string().optional(),
      }),
    )
    .min(1),
  Default: Name.optional(),
  ...common,
  ...output,
});

const PassState = z.strictObject({ Type: z.literal('Pass'), ...common, ...flow, ...output });
const WaitState = z.strictObject({
  Type: z.literal('Wait'),
  Seconds: z.union([z.int().min(0).max(99_999_999), expression]).optional(),
  Timestamp: z.string().optional(),
  ...common,
  ...flow,
  ...output,
});
const SucceedState = z.strictObject({ Type: z.literal('Succeed'), Output: z.json().optional(), ...common });
const FailState = z.strictObject({
  Type: z.literal('Fail'),
  Error: z.string().optional(),
  Cause: z.string().optional(),
  ...common,
});

export const State = z.discriminatedUnion('Type', [
  TaskState,
  ParallelState,
  MapState,
  ChoiceState,
  PassState,
  WaitState,
  SucceedState,
  FailState,
]);
export type State = z.infer<typeof State>;
export type StateOf<Type extends State['Type']> = Extract<State, { Type: Type }>;

export const Machine = z.strictObject({
  ...scope,
  QueryLanguage: z.literal('JSONata', 'must be "JSONata": JSONPath states are not supported'),
  TimeoutSeconds: z.int().min(1).max(99_999_999).optional(),
  Version: z.literal('1.0').optional(),
});
export interface Machine extends StateScope {
  readonly QueryLanguage: 'JSONata';
  readonly TimeoutSeconds?: number | undefined;
}

/** Parses a definition; refuses, by name, whatever the engine would not run as AWS does. */
export function parseMachine(definition: unknown): Machine {
  const parsed = Machine.safeParse(definition);
  if (!parsed.success) throw invalidInput(parsed.error, definition, 'the state machine');
  if (Object.keys(parsed.data.States).length === 0) throw new Fault('InvalidInput', 'the state machine has no states');
  return parsed.data;
}

/** The scopes inside a state. */
export function innerScopes(state: State): readonly StateScope[] {
  if (state.Type === 'Parallel') return state.Branches;
  return state.Type === 'Map' ? [state.ItemProcessor] : [];
}
