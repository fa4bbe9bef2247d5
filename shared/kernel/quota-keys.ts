import type { Key } from './ports.ts';

/** A key's counters of a month, and until when recounting them would change nothing. */
export const quotaKey = (keyId: string, month: string): Key => ({ pk: `KEY#${keyId}`, sk: `QUOTA#${month}` });
export const quotaWatchKey = (keyId: string, month: string): Key => ({ pk: `KEY#${keyId}`, sk: `WATCH#${month}` });
/** Marks that the event for a nearly used-up quota was published. */
export const quotaNoticeKey = (keyId: string, month: string, unit: string): Key => ({
  pk: `KEY#${keyId}`,
  sk: `TOLD#${month}#${unit}`,
});

/** Processes that count calls on quotas. */
export const ACTIVE_QUOTAS_PK = 'QUOTAS#ACTIVE';
export const activeQuotaKey = (holder: string): Key => ({ pk: ACTIVE_QUOTAS_PK, sk: holder });

/** How many keys of a tenant are not revoked, and how many were made in a month. */
export const keysInForceKey = (tenant: string): Key => ({ pk: `T#${tenant}`, sk: 'KEYS' });
export const keysOfMonthKey = (tenant: string, month: string): Key => ({ pk: `T#${tenant}`, sk: `KEYS#${month}` });
