import { Fault, messageOf } from '../kernel/errors.ts';
import { sourceDueKey, sourceKey } from '../kernel/item-keys.ts';
import { isHeld, LEASE_MS, type Lease, releaseLease } from '../kernel/lease.ts';
import { acquireItem, changeWhileHeld, keepLease, type LeasedItem } from '../kernel/leased-item.ts';
import { put, read } from '../kernel/stored.ts';
import type { Family } from '../model/registration.ts';
import { type Source, SourceDueItem, SourceItem } from '../model/source.ts';
import { changeFamilies, type Fence } from '../registry/families.ts';
import { type AdoptOptions, adoptTool, vanishTool } from './adopt.ts';
import type { SourcesContext } from './context.ts';
import { unknownSource } from './read-source.ts';
import { type SeenTools, toDefinitions } from './to-definition.ts';

/** The timeout for listing a source. */
const LIST_MS = 60_000;
export const MAX_TOOLS = 10_000;
const MAX_PROBLEMS = 20;
const DEFAULT_MINUTES = 60;
/** A transaction holds 100 items: each family and its event, and five more. */
const BATCH = 45;
const BATCH_BYTES = 2_000_000;

/**
 * Lists a source's tools and registers what changed. One process at a time; if it fails, the tools stay as they were.
 */
export const refreshSource = async (context: SourcesContext, tenant: string, name: string): Promise<Source> => {
  const leased: LeasedItem<Source> = { key: sourceKey(tenant, name), kind: SourceItem };
  const owner = Buffer.from(context.random(12)).toString('hex');
  const source = await acquireItem(context, leased, owner);
  if (!source) throw await refusal(context, leased, name);
  const heartbeat = keepLease(context, leased, source.lease);
  try {
    const after = await refreshed(context, tenant, source);
    return await finish(context, tenant, source, source.lease, after);
  } catch (error) {
    const failed = { error: describeFailure(error), due: context.clock.now() + intervalOf(source) };
    context.log.warn('source not refreshed', { tenant, source: name, error: failed.error });
    return finish(context, tenant, source, source.lease, failed);
  } finally {
    heartbeat.stop();
  }
};

/** Refreshes a source because of a hint that it changed; if a refresh is in progress, does nothing. */
export const refreshQuietly = async (context: SourcesContext, tenant: string, name: string): Promise<void> => {
  try {
    await refreshSource(context, tenant, name);
  } catch (error) {
    const isExpected = error instanceof Fault && (error.code === 'Conflict' || error.code === 'NotFound');
    if (!isExpected) context.log.error('source not refreshed', { tenant, source: name, error: messageOf(error) });
  }
};

type Outcome = Pick<Source, 'due'> & Partial<Pick<Source, 'refreshed_at' | 'error' | 'problems'>>;

const refreshed = async (
  context: SourcesContext,
  tenant: string,
  source: Source & { lease: Lease },
): Promise<Outcome> => {
  const signal = AbortSignal.timeout(LIST_MS);
  const listing = context.sources.upstream(tenant, source).list(signal);
  const listed = await Promise.race([listing, rejectWhenAborted(signal)]);
  if (listed.tools.length > MAX_TOOLS)
    throw new Fault(
      'TooLarge',
      `it lists ${listed.tools.length} tools; a source may have ${MAX_TOOLS}: name some in \`allowed\``,
    );
  const seen = await toDefinitions(source, listed);
  const clashes = await adoptAll(context, tenant, source, seen);
  const now = context.clock.now();
  const problems = [...seen.problems, ...clashes];
  return {
    refreshed_at: new Date(now).toISOString(),
    due: now + intervalOf(source),
    problems: problems.length > 0 ? cutProblems(problems) : undefined,
  };
};

/** Stores what changed, in few transactions. */
const adoptAll = async (
  context: SourcesContext,
  tenant: string,
  source: Source & { lease: Lease },
  { tools, unreadable }: SeenTools,
): Promise<readonly { tool: string; reason: string }[]> => {
  const { name } = source;
  context.catalogs.changed(tenant);
  const { catalog } = await context.catalogs.of(tenant);
  const isFirst = source.refreshed_at === undefined;
  const options: AdoptOptions = {
    source: name,
    policy: source.policy ?? 'review',
    isFirst,
    at: new Date(context.clock.now()).toISOString(),
  };
  const clashes: { tool: string; reason: string }[] = [];
  const isTaken = (local: string, family: Family | undefined): boolean =>
    catalog.layer.has(local) || (family !== undefined && family.source?.name !== name);
  const next = (local: string, family: Family | undefined): Family | undefined => {
    const seen = tools.get(local);
    if (seen && isTaken(local, family)) return family;
    if (seen) return adoptTool(family, seen, options);
    return family && !unreadable.has(local) ? vanishTool(family) : family;
  };
  const mine = [...catalog.own.values()].filter((family) => family.source?.name === name);
  const changed: { local: string; bytes: number }[] = [];
  for (const local of new Set([...tools.keys(), ...mine.map((family) => family.name)])) {
    const family = catalog.own.get(local);
    if (tools.has(local) && isTaken(local, family))
      clashes.push({
        tool: tools.get(local)?.upstream.name ?? local,
        reason: `the name ${local} is taken by another tool; choose a prefix`,
      });
    const after = next(local, family);
    if (after !== family) changed.push({ local, bytes: JSON.stringify(after).length });
  }
  const fence = leaseFence(tenant, source);
  for (const batch of splitIntoBatches(changed))
    await changeFamilies(
      context,
      tenant,
      batch,
      context.clock.now(),
      (families) => ({
        families: new Map(batch.map((local) => [local, next(local, families.get(local))])),
        result: undefined,
      }),
      fence,
    );
  context.catalogs.changed(tenant);
  return clashes;
};

/** Stops a refresh that has lost its lease, or whose source was removed, from writing. */
const leaseFence = (tenant: string, { name, lease }: Source & { lease: Lease }): Fence => ({
  key: sourceKey(tenant, name),
  check(item) {
    const held = item && read(item, SourceItem).lease;
    if (!isHeld(held, lease))
      throw new Fault('Conflict', `the source ${name} was removed, or is being refreshed by another process`, { name });
  },
});

const splitIntoBatches = (changed: readonly { local: string; bytes: number }[]): readonly (readonly string[])[] => {
  const batches: string[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const { local, bytes: more } of changed) {
    const last = batches.at(-1);
    if (last === undefined || last.length >= BATCH || bytes + more > BATCH_BYTES) {
      batches.push([local]);
      bytes = more;
    } else {
      last.push(local);
      bytes += more;
    }
  }
  return batches;
};

/** Stores the outcome and releases the lease, unless another process has taken it. */
const finish = async (
  context: SourcesContext,
  tenant: string,
  source: Source,
  lease: Lease,
  outcome: Outcome,
): Promise<Source> => {
  const leased: LeasedItem<Source> = { key: sourceKey(tenant, source.name), kind: SourceItem };
  let stored: Source | undefined;
  await changeWhileHeld(context, leased, lease, ({ error: _, problems, ...before }) => {
    // Settings changed during the refresh are applied by the next one, which is due at once.
    const due = before.changed_at === source.changed_at ? outcome.due : context.clock.now();
    const known = outcome.error === undefined ? outcome.problems : problems;
    stored = { ...before, ...outcome, problems: known, due, lease: releaseLease(lease) };
    return [put(leased.key, SourceItem, stored), dueEntry(tenant, stored)];
  });
  if (stored) return stored;
  throw unknownSource(source.name);
};

/** The write that updates the source's entry in the schedule. */
export const dueEntry = (tenant: string, { name, due }: Pick<Source, 'name' | 'due'>) =>
  put(sourceDueKey(tenant, name), SourceDueItem, { tenant, name, due });

const refusal = async ({ table, clock }: SourcesContext, { key }: LeasedItem<Source>, name: string): Promise<Fault> => {
  const item = await table.get(key);
  if (!item) return unknownSource(name);
  const until = read(item, SourceItem).lease?.until ?? clock.now();
  return new Fault('Conflict', `the source ${name} is being refreshed; ask for its state in a moment`, {
    name,
    started_at: new Date(until - LEASE_MS).toISOString(),
  });
};

const rejectWhenAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error(`it did not list its tools within ${LIST_MS / 1000} s`)));
  });

const intervalOf = ({ refresh_minutes: minutes = DEFAULT_MINUTES }: Source): number => minutes * 60_000;

const describeFailure = (error: unknown): string => messageOf(error).slice(0, 500) || 'it failed without a message';

const cutProblems = (problems: readonly { tool: string; reason: string }[]) => {
  const more = problems.length - MAX_PROBLEMS;
  const shown = problems.slice(0, MAX_PROBLEMS);
  return more > 0 ? [...shown, { tool: '', reason: `and ${more} more` }] : shown;
};
