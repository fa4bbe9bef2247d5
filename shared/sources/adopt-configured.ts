import { canonicalJson } from '../kernel/canonical-json.ts';
import { Fault, messageOf } from '../kernel/errors.ts';
import { SOURCES_PK, sourceKey } from '../kernel/item-keys.ts';
import { put, read, readAll } from '../kernel/stored.ts';
import { NewSource, SourceDueItem, SourceItem } from '../model/source.ts';
import type { Configured, OperatorSource } from './configured.ts';
import type { SourcesContext } from './context.ts';
import { dropSource, storeSource } from './manage.ts';
import { findSource } from './read-source.ts';
import { dueEntry } from './refresh.ts';

/**
 * Brings the stored sources in line with the configuration: new ones are added and due at once, changed ones are
 * updated, and those no longer configured are removed with their tools. Sources that a request added are not touched.
 */
export const adoptConfigured = async (context: SourcesContext, { sources, problems }: Configured): Promise<void> => {
  for (const { name, reason } of problems) context.log.error('configured source refused', { source: name, reason });
  for (const configured of sources)
    await adoptOne(context, configured).catch((error: unknown) =>
      context.log.error('configured source refused', { source: configured.source.name, reason: messageOf(error) }),
    );
  const known = new Set(sources.map(({ tenant, source }) => `${tenant}#${source.name}`));
  const { items } = await context.table.query(SOURCES_PK);
  for (const { tenant, name } of readAll(items, SourceDueItem, context.log)) {
    if (known.has(`${tenant}#${name}`)) continue;
    const source = await findSource(context.table, tenant, name);
    if (source?.origin === 'config') await dropSource(context, tenant, name);
  }
};

const adoptOne = async (context: SourcesContext, { tenant, source }: OperatorSource): Promise<void> => {
  const { table, clock } = context;
  const stored = await findSource(table, tenant, source.name);
  if (!stored) return void (await storeSource(context, tenant, source, 'config'));
  if (stored.origin !== 'config')
    throw new Fault(
      'Conflict',
      `there is a source named ${source.name} that a request added; remove it, or rename this one`,
    );
  const now = clock.now();
  await table.change([sourceKey(tenant, source.name)], ([item]) => {
    const before = item && read(item, SourceItem);
    if (!before || isSame(source, before)) return { writes: [], result: undefined };
    const { origin, created_at, refreshed_at, error, problems, lease } = before;
    const state = { origin, created_at, refreshed_at, error, problems, lease };
    const next = { ...source, ...state, changed_at: new Date(now).toISOString(), due: now };
    return { writes: [put(item.key, SourceItem, next), dueEntry(tenant, next)], result: undefined };
  });
};

const isSame = (wanted: NewSource, stored: NewSource): boolean => {
  const settings = (source: NewSource): string =>
    canonicalJson(JSON.parse(JSON.stringify(NewSource.strip().parse(source))));
  return settings(wanted) === settings(stored);
};
