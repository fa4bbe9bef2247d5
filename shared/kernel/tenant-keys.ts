/** The partitions and folders of a tenant's data; the keys of single items are built in `item-keys.ts`. */

/** The prefix of all partitions of a tenant but its main one. */
export const partitionsOfTenant = (tenant: string): string => `T#${tenant}#`;
/** Partitions that are kept when their tenant is deleted: usage, and the audit log. */
export const isKeptPartition = (pk: string): boolean => /^T#[^#]+#(USAGE#|ARCHIVE$|AUDIT#)/.test(pk);
/**
 * Partitions that are not exported: they hold credentials, stored answers to other callers, or open confirmations with
 * their tokens and unredacted arguments.
 */
export const isSecretPartition = (pk: string): boolean =>
  /^T#[^#]+#(SECRET$|ONCE#|QUESTIONS#|WAITING$|ASKED#)/.test(pk);
export const keyPartition = (id: string): string => `KEY#${id}`;
/** The blob folders of a tenant's pictures, scores and results. */
export const blobFolders = (tenant: string): readonly string[] =>
  ['images', 'made', 'scores', 'runs', 'results'].map((folder) => `${folder}/${tenant}/`);
