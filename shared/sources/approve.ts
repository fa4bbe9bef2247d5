import { Fault } from '../kernel/errors.ts';
import type { Actor } from '../model/key.ts';
import type { Family } from '../model/registration.ts';
import { changeFamilies } from '../registry/families.ts';
import { approveVersion } from './adopt.ts';
import type { SourcesContext } from './context.ts';
import { toolsOfSource } from './family-index.ts';
import { requireManager } from './manage.ts';
import { requireSource } from './read-source.ts';

/** A version that was approved and is now the default. */
export interface Approved {
  readonly tool: string;
  readonly version: string;
}

const BATCH = 45;

/**
 * Approves what a source has now: all waiting versions, or those named as `tool` or `tool@version`. A named version
 * that the source no longer has is a conflict, so that nobody approves what they have not seen.
 */
export const approveTools = async (
  context: SourcesContext,
  actor: Actor,
  name: string,
  wanted?: readonly string[],
): Promise<readonly Approved[]> => {
  requireManager(context, actor);
  const { tenant } = actor;
  await requireSource(context.table, tenant, name);
  context.catalogs.changed(tenant);
  const { catalog } = await context.catalogs.of(tenant);
  const waiting = new Map(
    toolsOfSource(catalog.own, name).flatMap(({ name: tool, source: { seen, waiting: all } }) =>
      seen !== undefined && all.includes(seen) ? [[tool, seen] as const] : [],
    ),
  );
  const chosen = wanted === undefined ? [...waiting] : wanted.map((id) => chooseWaiting(id, waiting));
  const approved: Approved[] = chosen.map(([tool, version]) => ({ tool, version }));
  for (let start = 0; start < approved.length; start += BATCH) {
    const batch = approved.slice(start, start + BATCH);
    const names = batch.map(({ tool }) => tool);
    await changeFamilies(context, tenant, names, context.clock.now(), (families) => ({
      families: new Map(batch.map(({ tool, version }) => [tool, approveOne(families.get(tool), tool, version)])),
      result: undefined,
    }));
  }
  context.catalogs.changed(tenant);
  return approved;
};

const chooseWaiting = (id: string, waiting: ReadonlyMap<string, string>): readonly [string, string] => {
  const [tool = '', version] = id.split('@');
  const seen = waiting.get(tool);
  if (seen === undefined)
    throw new Fault('NotFound', `${tool} has no version that waits for approval`, {
      tool,
      waiting: [...waiting.keys()].slice(0, 20),
    });
  if (version !== undefined && version !== seen) throw changedSince(tool, version, seen);
  return [tool, seen];
};

const approveOne = (family: Family | undefined, tool: string, version: string): Family => {
  if (!family || family.source?.seen !== version) throw changedSince(tool, version, family?.source?.seen);
  return approveVersion(family, version);
};

const changedSince = (tool: string, version: string, seen: string | undefined): Fault =>
  new Fault(
    'Conflict',
    `${tool} ${version} is no longer what the source has (${seen ?? 'it is gone'}); look at it again`,
    {
      tool,
      version,
      seen,
    },
  );
