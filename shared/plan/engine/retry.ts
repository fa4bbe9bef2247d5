import type { Catcher, Retrier } from '../asl.ts';
import { assignAndOutput, type Frame, report, type StateVisit, type Transition } from './frame.ts';
import { Aborted, matchesError, type StateError, toStateError } from './state-error.ts';

interface Rescuable {
  readonly Retry?: readonly Retrier[] | undefined;
  readonly Catch?: readonly Catcher[] | undefined;
}

/** Runs a state until it succeeds, its retriers give up, or a catcher handles the error. */
export async function withRescue(
  entered: StateVisit,
  state: Rescuable,
  run: (visit: StateVisit) => Promise<Transition>,
): Promise<Transition> {
  const { frame, name } = entered;
  const used = new Map<Retrier, number>();
  for (let retryCount = 0; ; retryCount++) {
    const visit = { ...entered, retryCount };
    try {
      return await run(visit);
    } catch (thrown) {
      if (thrown instanceof Aborted || frame.cancel.cancelled) throw new Aborted();
      const error = toStateError(thrown);
      const happening = { state: name, error: error.name, cause: error.message };
      report(frame.execution, { type: 'failed', ...happening });
      const retrier = state.Retry?.find((one) => matchesError(one.ErrorEquals, error.name));
      const retries = retrier === undefined ? 0 : (used.get(retrier) ?? 0);
      if (retrier === undefined || retries >= (retrier.MaxAttempts ?? 3)) return rescue(visit, state, error);
      used.set(retrier, retries + 1);
      await pause(frame, retryDelay(retrier, retries, frame.execution.ports.random));
      report(frame.execution, { type: 'retried', ...happening });
    }
  }
}

/** The wait before the next attempt, in milliseconds. */
function retryDelay(retrier: Retrier, retries: number, random: () => number): number {
  const grown = (retrier.IntervalSeconds ?? 1) * (retrier.BackoffRate ?? 2) ** retries;
  const delay = Math.min(grown, retrier.MaxDelaySeconds ?? Number.POSITIVE_INFINITY) * 1000;
  return retrier.JitterStrategy === 'FULL' ? delay * random() : delay;
}

export function pause(frame: Frame, milliseconds: number): Promise<void> {
  return frame.cancel.race((signal) => frame.execution.ports.sleep(milliseconds, signal));
}

async function rescue(visit: StateVisit, state: Rescuable, error: StateError): Promise<Transition> {
  const catcher = state.Catch?.find((one) => matchesError(one.ErrorEquals, error.name));
  if (catcher === undefined) throw error;
  const errorOutput = { Error: error.name, Cause: error.message };
  report(visit.frame.execution, { type: 'caught', state: visit.name, error: error.name, cause: error.message });
  return { output: await assignAndOutput(visit, catcher, errorOutput, { errorOutput }), next: catcher.Next };
}
