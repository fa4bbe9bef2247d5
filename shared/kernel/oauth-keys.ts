import type { Key } from './ports.ts';

/**
 * What the authorization server stores, by the digest of its id, which may be a secret; and everything issued for a
 * grant.
 */
export const oauthKey = (kind: string, digest: string): Key => ({ pk: `OAUTH#${kind}#${digest}`, sk: 'OAUTH' });
export const oauthGrantPk = (grant: string): string => `OAUTH#OF#${grant}`;
export const oauthOfGrantKey = (grant: string, kind: string, digest: string): Key => ({
  pk: oauthGrantPk(grant),
  sk: `${kind}#${digest}`,
});
/** How many clients registered themselves within an hour. */
export const oauthRegistrationsKey = (hour: string): Key => ({ pk: `OAUTH#REGISTRATIONS#${hour}`, sk: 'COUNT' });

/** A link to connect an account, by its digest. */
export const accountLinkKey = (digest: string): Key => ({ pk: `CONNECT#${digest}`, sk: 'LINK' });
