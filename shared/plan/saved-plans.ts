import { requireScope } from '../access/scopes.ts';
import { type Prices, priceOf } from '../execute/billing/prices.ts';
import type { Actor } from '../model/key.ts';
import type { RegistryContext } from '../registry/context.ts';
import { type RegisteredTool, registerTool } from '../registry/register-tool.ts';
import { planDefinition } from './plan-tool.ts';
import type { SavedPlan } from './run-deps.ts';
import { findPlan, type SavedPlanContext } from './visible-plans.ts';

/** A saved plan of the caller's tenant; one with a tool that the key does not see is reported as unknown. */
export const getPlan = async (context: SavedPlanContext, actor: Actor, id: string): Promise<SavedPlan> => {
  requireScope(actor, 'read');
  return findPlan(context, actor, id);
};

/** Registers a plan as a tool, at the price of its nodes. */
export const savePlanAsTool = async (
  context: SavedPlanContext & RegistryContext & { readonly prices?: Prices | undefined },
  actor: Actor,
  id: string,
  about: Parameters<typeof planDefinition>[1],
): Promise<RegisteredTool> => {
  requireScope(actor, 'write');
  const saved = await findPlan(context, actor, id);
  return registerTool(context, actor, planDefinition(saved.plan, about, await priceOfPlan(context, actor, saved)));
};

/** The sum of its nodes' prices; undefined when one of them has none. */
const priceOfPlan = async (
  { catalogs, prices }: Pick<RegistryContext, 'catalogs'> & { readonly prices?: Prices | undefined },
  actor: Actor,
  { plan }: SavedPlan,
): Promise<number | undefined> => {
  const { catalog } = await catalogs.of(actor.tenant);
  return plan.nodes.reduce<number | undefined>((sum, { tool }) => {
    const price = prices && priceOf(prices, catalog.get(tool)?.record.spec ?? { name: tool });
    return sum === undefined || price === undefined ? undefined : sum + price;
  }, 0);
};
