/** Where all that is stored of one tenant lies; single keys are built in `item-keys.ts`. */

/** What all other partitions of a tenant begin with. */
export const partitionsOfTenant = (tenant: string): string => `T#${tenant}#`;
/** Partitions that outlive their tenant: what was charged, and who did what. */
export const isKeptPartition = (pk: string): boolean => /^T#[^#]+#(USAGE#|ARCHIVE$|AUDIT#)/.test(pk);
/** Partitions that hold credentials or answers of others, and are not handed out. */
export const isSecretPartition = (pk: string): boolean => /^T#[^#]+#(SECRET$|ONCE#)/.test(pk);
export const keyPartition = (id: string): string => `KEY#${id}`;
/** Where a tenant's pictures, scores and results lie among the blobs. */
export const blobFolders = (tenant: string): readonly string[] =>
  ['images', 'made', 'scores', 'runs', 'results'].map((folder) => `${folder}/${tenant}/`);
