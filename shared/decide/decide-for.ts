import { effectivePermission } from '../access/permission.ts';
import { requireScope } from '../access/scopes.ts';
import { operationPrice, type Prices } from '../execute/billing/prices.ts';
import type { Caller, CallOptions, ExecuteContext } from '../execute/call.ts';
import { runOperation } from '../execute/operation.ts';
import { automaticEntries, readLists } from '../insight/lists.ts';
import type { Memory } from '../insight/memory.ts';
import { readAllStats, readRatings } from '../insight/read-stats.ts';
import type { Iqa } from '../iqa/iqa.ts';
import { nextTurn } from '../kernel/end-of-turn.ts';
import { messageOf } from '../kernel/errors.ts';
import { isObject, type JsonObject } from '../kernel/json.ts';
import type { Lack } from '../kernel/ports.ts';
import type { Actor } from '../model/key.ts';
import type { Tool } from '../model/tool.ts';
import type { Catalog } from '../registry/catalog.ts';
import { findHandler } from '../registry/layer.ts';
import { findEntry } from '../registry/visible-entry.ts';
import { imageRequestOf } from '../search/image-request.ts';
import { TEXT_LIMIT } from '../search/text.ts';
import { decide } from './decide.ts';
import type { DecideDeps, DecideInput, Decision } from './decision.ts';
import type { Llm } from './llm.ts';

export interface DecideContext
  extends Pick<ExecuteContext, 'table' | 'clock' | 'turns' | 'catalogs' | 'handlers' | 'checkArguments'> {
  readonly llm?: Llm | undefined;
  /** The memory of a tenant's earlier requests; absent if nothing is learnt from use. */
  readonly memories?: ((tenant: string) => Promise<Memory>) | undefined;
  /** The image tools, and which of them can run here. */
  readonly iqa?: Pick<Iqa, 'catalogue' | 'computations' | 'readImage'> | undefined;
}

export type PaidDecision = Decision & {
  readonly charged_micros: number;
  /** Identifies the decision when its tool is called or rated. */
  readonly decision_id: string;
};

/** Decides for a caller, as one call, with the tenant's tools that the key may see, their statistics and the lists. */
export const decideFor = async (
  context: DecideContext & ExecuteContext & { readonly prices?: Prices | undefined },
  actor: Actor,
  input: DecideInput,
  signal?: Caller,
  options: CallOptions = {},
): Promise<PaidDecision> => {
  requireScope(actor, 'invoke');
  const { value, callId, chargedMicros } = await runOperation(
    context,
    actor,
    {
      name: 'decide',
      arguments: { ...input },
      priceMicros: operationPrice(context.prices, 'decide'),
      async work() {
        const decision = await decide(
          { now: context.clock.now(), ...input },
          await decideDepsFor(context, actor, input),
        );
        return { value: decision, output: shown(decision) };
      },
    },
    signal,
    options,
  );
  return { ...value, decision_id: callId, charged_micros: chargedMicros };
};

/** The output in a decision's call record, without the steps, which would be most of it. */
const shown = ({ tool, arguments: args, missing, ready, confidence }: Decision) => ({
  tool,
  arguments: args,
  missing,
  ready,
  confidence,
});

/** The dependencies of a decision for a caller. */
export const decideDepsFor = async (
  context: DecideContext,
  actor: Actor,
  asked: Pick<DecideInput, 'task' | 'context'>,
): Promise<DecideDeps> => {
  const held = await context.catalogs.of(actor.tenant);
  const [index, memory, record, available] = await Promise.all([
    held.search(),
    context.memories?.(actor.tenant),
    recordDecision(context, actor.tenant, held.catalog),
    imageAvailability(context, asked),
  ]);
  return {
    index,
    tool: (name) => {
      const entry = findEntry(held.catalog, actor, name);
      return entry?.family.enabled ? entry.record.spec : undefined;
    },
    names: () => held.catalog.names(),
    validate: (tool, value) => findIssues(context, held.catalog, tool, value),
    permission: (tool) => effectivePermission(findHandler(context.handlers(), tool), tool),
    lacks: async (tool, value) =>
      (await findHandler(context.handlers(), tool)?.lacks?.(value, actor.tenant)) ??
      lackingPicture(context, actor.tenant, value),
    ...record,
    available,
    llm: context.llm,
    memory,
    encode: (task) => held.encode(task),
    // A decision queues again for each part; otherwise decisions admitted one by one would run together after a wait.
    turn: async () => {
      await nextTurn();
      await context.turns.enter(actor.tenant);
    },
  };
};

/** The first argument that is the key of a picture that was not uploaded. */
const lackingPicture = async ({ iqa }: DecideContext, tenant: string, value: JsonObject): Promise<Lack | undefined> => {
  for (const [parameter, given] of Object.entries(value)) {
    const key = isObject(given) && Object.keys(given).length === 1 ? given.key : undefined;
    if (iqa === undefined || typeof key !== 'string') continue;
    const refused = await iqa
      .readImage(tenant, key)
      .then(
        (bytes) => (bytes ? undefined : `there is no picture ${key}; upload it first by POST /v1/uploads`),
        messageOf,
      );
    if (refused !== undefined) return { parameter, reason: refused };
  }
  return undefined;
};

/** Whether image tools can run here; the model store is asked only for requests about pictures. */
const imageAvailability = async ({ iqa }: DecideContext, { task, context }: Pick<DecideInput, 'task' | 'context'>) => {
  if (iqa === undefined || imageRequestOf(task.slice(0, TEXT_LIMIT), context) === undefined) return undefined;
  const canRun = await iqa.computations.availability();
  return (tool: Tool): boolean => {
    const known = tool.iqa === undefined ? undefined : iqa.catalogue.find(tool.name);
    return known === undefined || canRun(known);
  };
};

/** The statistics, ratings and lists of the tenant's tools. */
const recordDecision = async (
  { table }: DecideContext,
  tenant: string,
  catalog: Catalog,
): Promise<Pick<DecideDeps, 'usage' | 'lists'>> => {
  const [lists, stats, ratings] = await Promise.all([
    readLists(table, tenant),
    readAllStats(table, tenant),
    readRatings(table, tenant),
  ]);
  const current = (name: string): string => `${name}#${catalog.get(name)?.record.version}`;
  const byVersion = new Map(stats.map((one) => [`${one.tool}#${one.version}`, one]));
  const entries = automaticEntries(stats);
  return {
    usage: {
      stats: (name) => {
        const one = byVersion.get(current(name));
        return one && one.calls > 0
          ? { calls: one.calls, successRate: one.successes / one.calls, meanMs: one.total_us / 1000 / one.calls }
          : undefined;
      },
      rating: (name) => {
        const rated = ratings.get(current(name));
        return rated && rated.count > 0 ? { mean: rated.sum / rated.count, count: rated.count } : undefined;
      },
    },
    lists: {
      whitelist: new Set(lists.whitelist.map(({ name }) => name)),
      blacklist: new Map(lists.blacklist.map(({ name, reason }) => [name, reason ?? 'on the blacklist'])),
      failing: new Map(entries.map(({ name, reason }) => [name, reason ?? 'failed repeatedly'])),
    },
  };
};

const findIssues = ({ checkArguments }: DecideContext, catalog: Catalog, tool: Tool, value: unknown) => {
  const record = catalog.get(tool.name)?.record;
  if (!record) return [];
  try {
    checkArguments(record, value);
    return [];
  } catch (thrown) {
    const { details } = thrown as { details?: { issues?: readonly { path: string; message: string }[] } };
    return details?.issues ?? [{ path: '', message: (thrown as Error).message }];
  }
};
