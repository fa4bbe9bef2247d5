import { hasScope, requireScope } from '../../access/scopes.ts';
import { visibleTools } from '../../access/visible-tools.ts';
import type { Table } from '../../kernel/ports.ts';
import type { Actor } from '../../model/key.ts';
import type { Catalogs } from '../../registry/catalogs.ts';
import { addSums, nothing, type Sum } from './ledger.ts';
import { type Prices, priceOf } from './prices.ts';
import { type MonthUsage, readUsage } from './usage.ts';

interface UsageContext {
  readonly table: Table;
  readonly catalogs: Catalogs;
  readonly prices?: Prices | undefined;
}

/** Usage and charges of a month. A key sees its own; an admin that is not confined sees the tenant's. */
export const usageFor = async (context: UsageContext, actor: Actor, month: string): Promise<MonthUsage> => {
  requireScope(actor, 'read');
  const usage = await readUsage(context.table, actor.tenant, month, await pricedTools(context, actor));
  if (hasScope(actor, 'tenant_admin') && visibleTools(actor).only === undefined) return usage;
  const keys = usage.keys.filter(({ key_id }) => key_id === actor.keyId);
  return { month: usage.month, ...keys.reduce<Sum>(addSums, nothing), keys };
};

/** Tells whether the tool of a usage row has a price. */
const pricedTools = async (
  { catalogs, prices }: UsageContext,
  { tenant }: Actor,
): Promise<(tool: string) => boolean> => {
  const { catalog } = await catalogs.of(tenant);
  return (tool) =>
    prices === undefined ||
    tool === 'score' ||
    Object.hasOwn(prices.operations, tool) ||
    priceOf(prices, catalog.get(tool)?.record.spec ?? { name: tool }) !== undefined;
};
