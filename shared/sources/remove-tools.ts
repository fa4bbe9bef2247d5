import { changeFamilies } from '../registry/families.ts';
import type { SourcesContext } from './context.ts';
import { toolsOfSource } from './family-index.ts';

const BATCH = 45;

/** Removes the tools of a source. */
export const removeTools = async (context: SourcesContext, tenant: string, source: string): Promise<void> => {
  context.catalogs.changed(tenant);
  const { catalog } = await context.catalogs.of(tenant);
  const names = toolsOfSource(catalog.own, source).map(({ name }) => name);
  for (let start = 0; start < names.length; start += BATCH) {
    const batch = names.slice(start, start + BATCH);
    await changeFamilies(context, tenant, batch, context.clock.now(), (families) => ({
      // A tool registered under this name since does not belong to the source.
      families: new Map(
        [...families].filter(([, family]) => family.source?.name === source).map(([name]) => [name, undefined]),
      ),
      result: undefined,
    }));
  }
  context.catalogs.changed(tenant);
};
