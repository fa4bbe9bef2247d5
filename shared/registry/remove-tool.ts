import { requireScope } from '../access/scopes.ts';
import { requireVisible } from '../access/visible-tools.ts';
import { Fault } from '../kernel/errors.ts';
import { isUnreadable } from '../kernel/stored.ts';
import type { Actor } from '../model/key.ts';
import type { Catalog } from './catalog.ts';
import type { RegistryContext } from './context.ts';
import { changeFamily, removeFamily } from './families.ts';
import { removeVersion, splitId } from './remove.ts';
import { refuseOwnedBySource } from './source-tools.ts';

/** Removes a tool or one version by `name` or `name@version`; idempotent. */
export const removeTool = async (
  context: RegistryContext,
  actor: Actor,
  id: string,
  version?: string,
): Promise<void> => {
  requireScope(actor, 'write');
  const { tenant } = actor;
  const split = splitId(id);
  requireVisible(actor, split.name);
  const { catalog } = await context.catalogs.of(tenant);
  const which = version ?? split.version;
  if (which === undefined && isStoredUnreadable(catalog, split.name)) {
    await removeFamily(context.table, tenant, split.name, context.clock.now());
    return context.catalogs.changed(tenant);
  }
  if (catalog.get(split.name)?.shipped)
    throw new Fault('Forbidden', `${split.name} is a shipped tool and cannot be removed; disable it instead`, {
      name: split.name,
    });
  await changeFamily(context, tenant, split.name, context.clock.now(), (family) => {
    refuseOwnedBySource(family, "disable it, leave it out of the source's `allowed`, or remove the source");
    return { family: removeVersion(family, which), result: undefined };
  });
  context.catalogs.changed(tenant);
};

// Removal is also the way to get rid of an unreadable item.
const isStoredUnreadable = (catalog: Catalog, name: string): boolean => {
  try {
    catalog.find(name);
    return false;
  } catch (thrown) {
    if (isUnreadable(thrown)) return true;
    throw thrown;
  }
};
