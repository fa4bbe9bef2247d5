import * as z from 'zod';
import { isObject } from '../../shared/kernel/json.ts';
import type { Machines } from '../../shared/plan/machines.ts';
import type { RunDeps } from '../../shared/plan/run-deps.ts';
import { runStep, StepEvent } from '../../shared/plan/step.ts';

export interface StepDeps {
  readonly runs: RunDeps;
  readonly machines: Pick<Machines, 'removeUnused'>;
  /** Refreshes the sources that are due. */
  readonly refreshSources: () => Promise<number>;
  /** Views a run, which records and charges it if it has ended. */
  readonly look: (tenant: string, run: string) => Promise<unknown>;
}

const UNUSED_MS = 30 * 86_400_000;

/** The event of an execution that has ended. */
const Ended = z.object({
  'detail-type': z.literal('Step Functions Execution Status Change'),
  detail: z.object({ input: z.string().nullish() }),
});

/**
 * Runs one node of a plan, asks for its approval, settles a run that has ended, refreshes sources that are due, or,
 * once a day, removes unused state machines.
 */
export const handleStep = async (deps: StepDeps, event: unknown): Promise<unknown> => {
  if (isObject(event) && event.clean_up === true) return { removed: await deps.machines.removeUnused(UNUSED_MS) };
  if (isObject(event) && event.refresh_sources === true) return { refreshed: await deps.refreshSources() };
  const ended = Ended.safeParse(event);
  if (ended.success) return lookAt(deps, ended.data.detail.input ?? '{}');
  const step = StepEvent.parse(event);
  return (await runStep(deps.runs, step, limitOf(step))) ?? null;
};

/** Settles the run of an execution; executions of other state machines have no run and are ignored. */
const lookAt = async ({ look }: StepDeps, input: string): Promise<null> => {
  const { tenant, run } = JSON.parse(input) as { readonly tenant?: unknown; readonly run?: unknown };
  if (typeof tenant === 'string' && typeof run === 'string') await look(tenant, run);
  return null;
};

/** Aborts when the state times out, so that the attempt is recorded as late. */
const limitOf = (step: StepEvent): AbortSignal | undefined => {
  const seconds = 'node' in step ? step.input.timeouts[Number(step.node.slice(1)) - 1] : undefined;
  return seconds === undefined ? undefined : AbortSignal.timeout(seconds * 1000);
};
