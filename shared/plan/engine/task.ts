import type { StateOf } from '../asl.ts';
import { evaluateJson, type StateVisit, seconds } from './frame.ts';
import { jsonWithin } from './limits.ts';
import { Aborted, StateError, toStateError } from './state-error.ts';

const TOKEN_SUFFIX = '.waitForTaskToken';

/** Calls the task within the state's time limits; with a task token, waits for its answer. */
export async function runTask(visit: StateVisit, state: StateOf<'Task'>): Promise<unknown> {
  const { tokens } = visit.frame.execution.ports;
  if (!state.Resource.endsWith(TOKEN_SUFFIX)) return admitted(visit, () => runCall(visit, state));
  if (tokens !== undefined) return runCall({ ...visit, token: tokens.issue() }, state);
  throw new StateError('States.Runtime', `${visit.name} waits for a task token, but the engine has no token desk`);
}

async function admitted<T>({ name, frame }: StateVisit, work: () => Promise<T>): Promise<T> {
  const { admit } = frame.execution.ports;
  if (admit === undefined) return work();
  const admission = admit(name);
  try {
    await frame.cancel.race(() => admission);
    return await work();
  } finally {
    admission.then(
      (leave) => leave(),
      () => {},
    );
  }
}

async function runCall(visit: StateVisit, state: StateOf<'Task'>): Promise<unknown> {
  const timeout = await seconds(visit, state.TimeoutSeconds, 'TimeoutSeconds');
  const heartbeat = await seconds(visit, state.HeartbeatSeconds, 'HeartbeatSeconds');
  const given = await evaluateJson(visit, state.Arguments, 'the arguments');
  const result = await limited(visit, timeout, heartbeat, (signal, beat) => call(visit, state, given, signal, beat));
  return jsonWithin(result, `the result of ${visit.name}`);
}

async function call(
  visit: StateVisit,
  state: StateOf<'Task'>,
  given: unknown,
  signal: AbortSignal,
  beat: () => void,
): Promise<unknown> {
  const { ports } = visit.frame.execution;
  const { name, retryCount = 0, token } = visit;
  const request = { resource: state.Resource, arguments: given, state: name, retryCount, signal };
  try {
    if (token === undefined || ports.tokens === undefined) return await ports.task(request);
    // Waits before the call, because the answer may come before the call returns.
    const answer = ports.tokens.wait(token, signal, beat);
    answer.catch(() => {});
    await ports.task({ ...request, token });
    return await answer;
  } catch (thrown) {
    throw thrown instanceof Aborted ? thrown : toStateError(thrown);
  }
}

type Work = (signal: AbortSignal, beat: () => void) => Promise<unknown>;

/** Runs work until it ends, exceeds its timeout, or sends no heartbeat in time. */
function limited(
  visit: StateVisit,
  timeout: number | undefined,
  heartbeat: number | undefined,
  work: Work,
): Promise<unknown> {
  const { ports } = visit.frame.execution;
  return visit.frame.cancel.race((signal) => {
    let lastBeat = ports.now();
    const racers = [
      work(signal, () => {
        lastBeat = ports.now();
      }),
    ];
    if (timeout !== undefined) {
      racers.push(alarm(ports.sleep(timeout * 1000, signal), visit, 'States.Timeout', timeout));
    }
    if (heartbeat !== undefined) {
      const silence = silent(visit, heartbeat * 1000, () => lastBeat, signal);
      racers.push(alarm(silence, visit, 'States.HeartbeatTimeout', heartbeat));
    }
    return Promise.race(racers);
  });
}

/** Rejects when the time is over; a cancelled sleep never does. */
function alarm(sleep: Promise<void>, { name }: StateVisit, error: string, after: number): Promise<never> {
  return sleep.then(
    () => {
      throw new StateError(error, `${name} took longer than ${after} s`);
    },
    () => new Promise<never>(() => {}),
  );
}

async function silent(visit: StateVisit, limit: number, lastBeat: () => number, signal: AbortSignal): Promise<void> {
  const { now, sleep } = visit.frame.execution.ports;
  for (let left = limit; left > 0; left = lastBeat() + limit - now()) await sleep(left, signal);
}
