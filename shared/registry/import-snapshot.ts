import { Fault } from '../kernel/errors.ts';
import type { Family, Snapshot } from '../model/registration.ts';
import type { RegistryContext } from './context.ts';
import { changeFamilies, readRevision, requireFamilies } from './families.ts';
import { restoreSnapshot, takeSnapshot } from './snapshot.ts';

// A change holds 100 items: each family and its event, the revision, the list of changes and the count of events.
const BATCH = 48;

/** The tenant's own tools and switches, straight from the store. */
export const exportSnapshot = async ({ table }: RegistryContext, tenant: string): Promise<Snapshot> => {
  const revision = await readRevision(table, tenant);
  return takeSnapshot(await requireFamilies(table, tenant), revision);
};

/** Makes the tenant's tools exactly those of a snapshot; many are written under few revisions. */
export const importSnapshot = async (context: RegistryContext, tenant: string, input: unknown): Promise<Snapshot> => {
  const wanted = new Map(restoreSnapshot(input).map((family) => [family.name, family]));
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
  const present = await requireFamilies(context.table, tenant);
  const names = [...new Set([...wanted.keys(), ...present.map(({ name }) => name)])];
  for (let start = 0; start < names.length; start += BATCH) {
    const batch = names.slice(start, start + BATCH);
    await changeFamilies(context.table, tenant, batch, context.clock.now(), () => ({
      families: new Map(batch.map((name): [string, Family | undefined] => [name, wanted.get(name)])),
      result: undefined,
    }));
  }
  context.catalogs.changed(tenant);
  return exportSnapshot(context, tenant);
};
