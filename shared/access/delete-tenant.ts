import { ACTIVE_RUNS_PK, ACTIVE_UPLOADS_PK, SOURCES_PK, sourceDueKey, tenantKey } from '../kernel/item-keys.ts';
import type { Clock, Item } from '../kernel/ports.ts';
import { isUnreadable, read } from '../kernel/stored.ts';
import { blobFolders, isKeptPartition } from '../kernel/tenant-keys.ts';
import { DeliveryItem, tenantOfDelivery } from '../model/delivery.ts';
import type { Actor } from '../model/key.ts';
import { listKeys, revokeKey } from './api-keys.ts';
import { markDeleted } from './deleted-tenant.ts';
import type { TenantDataContext } from './export-tenant.ts';
import { requireScope } from './scopes.ts';
import { itemsOfTenant } from './tenant-items.ts';

export interface TenantDeletion {
  readonly tenant: string;
  readonly keys_revoked: number;
  readonly items_removed: number;
  readonly blobs_removed: number;
  /** What is kept, and why. */
  readonly kept: { readonly items: number; readonly why: string };
  /** False when the time ran out: repeat the request to continue. */
  readonly complete: boolean;
}

const KEPT =
  'usage and closed months, which accounting law asks for, and the audit log, which ends by itself after 400 days';
const PAGE = 100;
/** How many entries of a list of all tenants are read at a time. */
const ENTRIES = 500;

/**
 * Deletes a tenant: revokes its keys first, so that no new requests arrive, and then deletes its data. It can be
 * interrupted and repeated at any point.
 */
export const deleteTenant = async (
  context: TenantDataContext & { readonly clock: Clock; readonly revoked?: (id: string) => Promise<void> },
  actor: Actor,
  tenant: string,
  { untilMs = Number.POSITIVE_INFINITY }: { readonly untilMs?: number } = {},
): Promise<TenantDeletion> => {
  requireScope(actor, 'admin');
  const { table, blobs, clock } = context;
  const tally = { keys_revoked: await revokeAll(context, { ...actor, tenant }), items_removed: 0, blobs_removed: 0 };
  let kept = 0;
  const isLate = (): boolean => clock.now() >= untilMs;
  const end = (complete: boolean): TenantDeletion => ({ tenant, ...tally, kept: { items: kept, why: KEPT }, complete });

  // First, so that a picture that arrives from now on recreates nothing.
  await table.write([markDeleted(tenant, clock.now()), { remove: tenantKey(tenant) }]);
  await removeElsewhere(context, tenant);
  for (const folder of blobFolders(tenant))
    for (const blob of (await blobs?.list(folder)) ?? []) {
      if (isLate()) return end(false);
      await blobs?.remove(blob);
      tally.blobs_removed++;
    }
  for await (const items of itemsOfTenant(table, tenant)) {
    const removed = items.filter(({ key }) => !isKeptPartition(key.pk));
    kept += items.length - removed.length;
    await table.write(removed.map(({ key }) => ({ remove: key })));
    tally.items_removed += removed.length;
    if (isLate()) return end(false);
  }
  return end(true);
};

const revokeAll = async (context: Parameters<typeof deleteTenant>[0], actor: Actor): Promise<number> => {
  let revoked = 0;
  let after: string | undefined;
  do {
    const { keys, next } = await listKeys(context, actor, { limit: PAGE, after });
    for (const { id, revoked_at } of keys) {
      if (revoked_at !== undefined) continue;
      await revokeKey(context, actor, id);
      await context.revoked?.(id);
      revoked++;
    }
    after = next;
  } while (after !== undefined);
  return revoked;
};

/** Removes the entries about this tenant from lists of all tenants. */
const removeElsewhere = async ({ table }: TenantDataContext, tenant: string): Promise<void> => {
  const lists = [
    { pk: SOURCES_PK, prefix: sourceDueKey(tenant, '').sk, isOwn: () => true },
    { pk: ACTIVE_RUNS_PK, isOwn: ({ key }: Item) => key.sk.endsWith(`#${tenant}`) },
    { pk: ACTIVE_UPLOADS_PK, isOwn: (item: Item) => tenantOfUpload(item) === tenant },
  ];
  for (const { pk, prefix, isOwn } of lists) {
    let after: string | undefined;
    do {
      const { items, next } = await table.query(pk, { prefix, after, limit: ENTRIES });
      await table.write(items.filter(isOwn).map(({ key }) => ({ remove: key })));
      after = next;
    } while (after !== undefined);
  }
};

/** An entry that cannot be read is left to a release that can. */
const tenantOfUpload = (item: Item): string | undefined => {
  try {
    return tenantOfDelivery(read(item, DeliveryItem));
  } catch (thrown) {
    if (isUnreadable(thrown)) return undefined;
    throw thrown;
  }
};
