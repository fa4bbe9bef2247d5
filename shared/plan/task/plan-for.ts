import { requireScope } from '../../access/scopes.ts';
import { argumentsFor } from '../../decide/arguments.ts';
import { decide } from '../../decide/decide.ts';
import { type DecideContext, decideDepsFor } from '../../decide/decide-for.ts';
import type { Actor } from '../../model/key.ts';
import { actionWords } from './actions.ts';
import { type PlannedTask, planTask } from './plan-task.ts';

/** Plans a task with the tools that the caller may use. */
export const planTaskFor = async (context: DecideContext, actor: Actor, task: string): Promise<PlannedTask> => {
  requireScope(actor, 'invoke');
  const deps = await decideDepsFor(context, actor, { task });
  const { catalog } = await context.catalogs.of(actor.tenant);
  const now = context.clock.now();
  return planTask(task, {
    decide: (text) => decide({ task: text, now }, deps),
    fill: (text, tool) => argumentsFor({ task: text, now }, tool, deps),
    tool: deps.tool,
    isAction: actionWords(catalog.names()),
  });
};
