import * as z from 'zod';
import { deletedTenantKey, tenantKey } from '../kernel/item-keys.ts';
import type { Item, Key, Write } from '../kernel/ports.ts';
import { put, stored } from '../kernel/stored.ts';

/** Marks that a tenant was deleted, for as long as events about its pictures may still come. */
export const DeletedTenantItem = stored({
  what: 'mark of a deleted tenant',
  schema: z.object({ tenant: z.string(), at: z.iso.datetime() }),
});

/** Longer than any upload URL is valid and any queue keeps an event. */
const EXPIRES_SECONDS = 30 * 86_400;

export const markDeleted = (tenant: string, now: number): Write =>
  put(
    deletedTenantKey(tenant),
    DeletedTenantItem,
    { tenant, at: new Date(now).toISOString() },
    Math.floor(now / 1000) + EXPIRES_SECONDS,
  );

/** What `isDeleted` reads. */
export const deletionKeys = (tenant: string): readonly [Key, Key] => [deletedTenantKey(tenant), tenantKey(tenant)];

/** Whether a tenant was deleted and has had no key since. */
export const isDeleted = ([mark, tenant]: readonly (Item | undefined)[]): boolean =>
  mark !== undefined && tenant === undefined;
