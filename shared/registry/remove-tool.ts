import { Fault } from '../kernel/errors.ts';
import type { RegistryContext } from './context.ts';
import { changeFamily } from './families.ts';
import { removeVersion, splitId } from './remove.ts';

/** Removes a tool or one version of it by `name` or `name@version`; what is absent is removed already. */
export const removeTool = async (
  context: RegistryContext,
  tenant: string,
  id: string,
  version?: string,
): Promise<void> => {
  const split = splitId(id);
  const { catalog } = await context.catalogs.of(tenant);
  if (catalog.get(split.name)?.shipped)
    throw new Fault('Forbidden', `${split.name} is a shipped tool and cannot be removed; disable it instead`, {
      name: split.name,
    });
  await changeFamily(context.table, tenant, split.name, context.clock.now(), (family) => ({
    family: removeVersion(family, version ?? split.version),
    result: undefined,
  }));
  context.catalogs.changed(tenant);
};
