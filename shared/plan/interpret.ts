import { Cancel } from './engine/cancel.ts';
import type { Execution, Frame } from './engine/frame.ts';
import { stateFunctions } from './engine/functions.ts';
import { jsonWithin } from './engine/limits.ts';
import type { EngineOutcome, EnginePorts } from './engine/ports.ts';
import { isPrepared, type PreparedMachine, prepareMachine } from './engine/prepare.ts';
import { Aborted, StateError, toStateError } from './engine/state-error.ts';
import { runScope } from './engine/states.ts';
import { Variables } from './engine/variables.ts';

/**
 * Runs a JSONata state machine as Step Functions would, with the clock, randomness and tasks of its ports. It returns
 * how the execution ended, and throws only for an invalid definition.
 */
export async function interpret(definition: unknown, input: unknown, ports: EnginePorts): Promise<EngineOutcome> {
  const prepared = isPrepared(definition) ? definition : prepareMachine(definition);
  const cancel = new Cancel();
  const stop = (): void => cancel.cancel();
  if (ports.signal?.aborted) stop();
  ports.signal?.addEventListener('abort', stop, { once: true });
  try {
    return { status: 'SUCCEEDED', output: await run(prepared, input, ports, cancel) };
  } catch (thrown) {
    return toOutcome(thrown);
  } finally {
    ports.signal?.removeEventListener('abort', stop);
  }
}

async function run(prepared: PreparedMachine, given: unknown, ports: EnginePorts, cancel: Cancel): Promise<unknown> {
  const input = jsonWithin(given ?? {}, 'the input of the execution');
  const execution: Execution = {
    prepared,
    ports,
    functions: stateFunctions(ports),
    context: createContext(ports, input),
  };
  return cancel.within(async (inner) => {
    const frame: Frame = { execution, variables: new Variables({ bytes: 0 }), cancel: inner };
    const limit = prepared.machine.TimeoutSeconds;
    if (limit === undefined) return runScope(frame, prepared.machine, input);
    const work = runScope(frame, prepared.machine, input);
    return cancel.race((signal) => Promise.race([work, endAfter(ports, limit, signal)]));
  });
}

async function endAfter(ports: EnginePorts, limit: number, signal: AbortSignal): Promise<never> {
  await ports.sleep(limit * 1000, signal).catch(() => new Promise<never>(() => {}));
  throw new ExecutionTimeout(limit);
}

/** The timeout of the whole machine, which cannot be caught, unlike that of a state. */
class ExecutionTimeout extends StateError {
  constructor(limit: number) {
    super('States.Timeout', `the execution took longer than ${limit} s`);
  }
}

function toOutcome(thrown: unknown): EngineOutcome {
  if (thrown instanceof Aborted) return { status: 'ABORTED', error: '', cause: 'the execution was stopped' };
  const { name, message } = toStateError(thrown);
  return { status: thrown instanceof ExecutionTimeout ? 'TIMED_OUT' : 'FAILED', error: name, cause: message };
}

function createContext(ports: EnginePorts, input: unknown): Readonly<Record<string, unknown>> {
  const name = ports.name ?? 'local';
  return {
    Execution: {
      Id: `arn:aws:states:local:000000000000:execution:local:${name}`,
      Input: input,
      Name: name,
      RedriveCount: 0,
      RoleArn: 'arn:aws:iam::000000000000:role/local',
      StartTime: new Date(ports.now()).toISOString(),
    },
    StateMachine: { Id: 'arn:aws:states:local:000000000000:stateMachine:local', Name: 'local' },
  };
}
