import type { Handler, Timers } from '../kernel/ports.ts';
import { PLAN_HANDLER_PREFIX } from '../model/plan.ts';
import type { Handlers } from '../registry/layer.ts';
import { planHandler } from './plan-tool.ts';
import type { Runs } from './runs.ts';

/** Adds a handler for every saved plan, `plan:<id>`. */
export const withPlans = (handlers: Handlers, runs: () => Runs | undefined, timers: Timers): Handlers => ({
  builtin: handlers.builtin,
  internal: new PlanHandlers(handlers.internal, runs, timers),
});

class PlanHandlers extends Map<string, Handler> {
  readonly #runs: () => Runs | undefined;
  readonly #timers: Timers;

  constructor(known: ReadonlyMap<string, Handler>, runs: () => Runs | undefined, timers: Timers) {
    super(known);
    this.#runs = runs;
    this.#timers = timers;
  }

  override get(name: string): Handler | undefined {
    if (!name.startsWith(PLAN_HANDLER_PREFIX)) return super.get(name);
    return planHandler(this.#runs, this.#timers, name.slice(PLAN_HANDLER_PREFIX.length));
  }

  override has(name: string): boolean {
    return name.startsWith(PLAN_HANDLER_PREFIX) || super.has(name);
  }
}
