import { requireScope } from '../access/scopes.ts';
import { requireVisible, visibleTools } from '../access/visible-tools.ts';
import { Fault } from '../kernel/errors.ts';
import type { Actor } from '../model/key.ts';
import type { Family, Snapshot } from '../model/registration.ts';
import type { RegistryContext } from './context.ts';
import { changeFamilies, readRevision } from './families.ts';
import { requireFamilies } from './read-families.ts';
import { restoreSnapshot, takeSnapshot } from './snapshot.ts';
import { refuseOwnedBySource, refuseSourceHandler } from './source-tools.ts';

// A transaction holds 100 items: each family and its event, the revision, the change list and the event sequence.
const BATCH = 48;

const visibleSnapshot = async ({ table }: RegistryContext, actor: Actor): Promise<Snapshot> => {
  const visible = visibleTools(actor);
  const revision = await readRevision(table, actor.tenant);
  const families = await requireFamilies(table, actor.tenant);
  // Tools of a source are left out, approved or not: they come back with the source.
  return takeSnapshot(
    families.filter(({ name, source }) => visible.has(name) && source === undefined),
    revision,
  );
};

/**
 * Replaces the tenant's tools by those of a snapshot, in as few transactions as possible. A key confined to some tools
 * replaces only those.
 */
export const importSnapshot = async (context: RegistryContext, actor: Actor, input: unknown): Promise<Snapshot> => {
  requireScope(actor, 'write');
  const { tenant } = actor;
  const wanted = new Map(restoreSnapshot(input).map((family) => [family.name, family]));
  for (const name of wanted.keys()) requireVisible(actor, name);
  const { catalog } = await context.catalogs.of(tenant);
  const clash = [...wanted.values()].find(({ name, versions }) => versions.length > 0 && catalog.layer.has(name));
  if (clash)
    throw new Fault(
      'Conflict',
      `the snapshot has a tool named ${clash.name}, which is a shipped tool here; rename it`,
      {
        name: clash.name,
      },
    );
  const visible = visibleTools(actor);
  for (const { versions } of wanted.values()) for (const { spec } of versions) refuseSourceHandler(spec);
  const stored = await requireFamilies(context.table, tenant);
  for (const family of stored) if (wanted.has(family.name)) refuseOwnedBySource(family, 'leave it out of the snapshot');
  const present = stored.filter(({ source }) => source === undefined).map(({ name }) => name);
  const names = [...new Set([...wanted.keys(), ...present.filter((name) => visible.has(name))])];
  for (let start = 0; start < names.length; start += BATCH) {
    const batch = names.slice(start, start + BATCH);
    await changeFamilies(context, tenant, batch, context.clock.now(), () => ({
      families: new Map(batch.map((name): [string, Family | undefined] => [name, wanted.get(name)])),
      result: undefined,
    }));
  }
  context.catalogs.changed(tenant);
  return visibleSnapshot(context, actor);
};
