import { isObject } from '../../shared/model/json.ts';
import type { Machines } from '../../shared/plan/machines.ts';
import type { RunDeps } from '../../shared/plan/run-deps.ts';
import { runStep, StepEvent } from '../../shared/plan/step.ts';

export interface StepDeps {
  readonly runs: RunDeps;
  readonly machines: Pick<Machines, 'removeUnused'>;
}

const UNUSED_MS = 30 * 86_400_000;

/** Runs one node of a plan, asks about it, or, once a day, removes machines that no plan uses any more. */
export const handleStep = async (deps: StepDeps, event: unknown): Promise<unknown> => {
  if (isObject(event) && event.clean_up === true) return { removed: await deps.machines.removeUnused(UNUSED_MS) };
  const step = StepEvent.parse(event);
  return (await runStep(deps.runs, step, limitOf(step))) ?? null;
};

/** The state gives up at this moment; the tool is told, and the attempt is recorded as late. */
const limitOf = (step: StepEvent): AbortSignal | undefined => {
  const seconds = 'node' in step ? step.input.timeouts[Number(step.node.slice(1)) - 1] : undefined;
  return seconds === undefined ? undefined : AbortSignal.timeout(seconds * 1000);
};
