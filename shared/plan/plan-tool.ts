import { Fault } from '../kernel/errors.ts';
import type { JsonSchema } from '../kernel/json.ts';
import type { CallContext, Handler, Timers } from '../kernel/ports.ts';
import type { Actor } from '../model/key.ts';
import { PLAN_HANDLER_PREFIX, type Plan } from '../model/plan.ts';
import type { RunView } from '../model/run.ts';
import type { DeferredCall } from './deferred-call.ts';
import { toRunActor } from './run-actor.ts';
import type { Runs } from './runs.ts';

/**
 * The tool definition of a plan: its input is the plan's, its price the sum of its nodes', its permission their
 * strictest.
 */
export const planDefinition = (
  plan: Plan,
  about: { readonly name: string; readonly description?: string | undefined; readonly version?: string | undefined },
  priceMicros: number | undefined,
): Readonly<Record<string, unknown>> => ({
  name: about.name,
  description:
    about.description ?? `Runs the plan ${plan.name ?? about.name}: ${plan.nodes.map(({ tool }) => tool).join(', ')}`,
  type: 'function',
  handler: 'plan',
  parameters: inputOf(plan),
  output_schema: { type: 'object', description: 'The results of the nodes on which nothing depends, by node.' },
  implementation: { type: 'internal', handler: `${PLAN_HANDLER_PREFIX}${plan.plan_id}` },
  permission: plan.permission,
  category: 'plans',
  timeout_seconds: 900,
  version: about.version,
  price_micros: priceMicros,
});

const inputOf = ({ input_schema: schema }: Plan): JsonSchema =>
  schema?.type === 'object' ? schema : { type: 'object', properties: {}, additionalProperties: true };

/** Runs a saved plan as the work of a tool, and waits for its end. */
export const planHandler = (runs: () => Runs | undefined, timers: Timers, planId: string): Handler => ({
  permission: 'safe',
  async run(input, context) {
    const engine = runs();
    if (!engine) throw new Fault('Unavailable', 'plans cannot run in this process');
    const started = await startPlan(engine, planId, input, context);
    return outputOfRun(await untilEnded({ runs: engine, timers }, context.tenant, started, context.signal));
  },
});

/**
 * Starts a saved plan for a call of its tool, confined to what the caller may use. The run has the id of the call, so a
 * call that is repeated after a crash continues the run it had started.
 */
export const startPlan = (
  runs: Runs,
  planId: string,
  input: unknown,
  given: Pick<CallContext, 'tenant' | 'keyId' | 'callId' | 'allowed' | 'planDepth' | 'planRoot'>,
  call?: DeferredCall,
): Promise<RunView> => {
  const { tenant, keyId, callId, allowed, planDepth = 0, planRoot } = given;
  if (planDepth >= DEEPEST) return Promise.reject(tooDeep(planId));
  const actor: Actor = {
    keyId: 'plan',
    tenant,
    scopes: new Set(['invoke']),
    onBehalfOf: keyId,
    tools: allowed,
    planDepth: planDepth + 1,
    planRoot,
  };
  return runs.start({ tenant, plan_id: planId, input, actor: toRunActor(actor), run_id: callId, root: planRoot, call });
};

/** A plan could else become a tool that it uses itself; `count-calls.ts` bounds the calls of all levels. */
const DEEPEST = 3;

const tooDeep = (planId: string): Fault =>
  new Fault(
    'InvalidInput',
    `the plan ${planId.slice(0, 12)} is used inside ${DEEPEST} plans that are tools, the limit; put its nodes into the plan that uses it`,
    { plan_id: planId, limit: DEEPEST },
  );

/** The output of a run that has ended; throws when the run failed. */
export const outputOfRun = (ended: RunView): unknown => {
  if (ended.status === 'ok') return ended.output ?? {};
  throw Object.assign(new Error(ended.error?.message ?? `the run ${ended.run_id} is ${ended.status}`), {
    name: ended.error?.type ?? 'PlanFailed',
  });
};

/** Waits for the end of a run, and cancels it when the signal is aborted. */
export const untilEnded = async (
  { runs, timers }: { readonly runs: Runs; readonly timers: Timers },
  tenant: string,
  started: RunView,
  signal: AbortSignal,
  { ref = true }: { readonly ref?: boolean } = {},
): Promise<RunView> => {
  let view = started;
  for (let next = 5; view.status === 'running'; next = Math.min(SLOWEST_LOOK_MS, next * 1.5)) {
    // A view reads every node, so only a run of another process is looked at often.
    const done = runs.done?.(view.run_id);
    await pauseUntil(timers, done ? SLOWEST_LOOK_MS : next, ref, done);
    if (signal.aborted) return runs.cancel(tenant, view.run_id);
    view = (await runs.view(tenant, view.run_id)) ?? view;
  }
  return view;
};

const SLOWEST_LOOK_MS = 500;

const pauseUntil = (timers: Timers, milliseconds: number, ref: boolean, done?: Promise<void>): Promise<void> =>
  new Promise((resolve) => {
    const stop = timers.after(milliseconds, resolve, ref);
    const end = (): void => {
      stop();
      resolve();
    };
    done?.then(end, end);
  });
