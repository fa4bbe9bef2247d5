import type { Blobs, Item, Table } from '../kernel/ports.ts';
import { blobFolders, isSecretPartition } from '../kernel/tenant-keys.ts';
import type { Actor } from '../model/key.ts';
import { requireScope } from './scopes.ts';
import { itemsOfTenant } from './tenant-items.ts';

export interface TenantDataContext {
  readonly table: Table;
  readonly blobs?: Blobs | undefined;
}

/** One stored item or blob of a tenant. */
export type TenantLine =
  | { readonly pk: string; readonly sk: string; readonly expires?: number | undefined; readonly body: unknown }
  /** A picture, a report or a large result; with its bytes only where requested. */
  | { readonly blob: string; readonly base64?: string };

/** Everything stored of a tenant except secrets: credentials of sources, and digests of keys. */
export async function* exportTenant(
  { table, blobs }: TenantDataContext,
  actor: Actor,
  tenant: string,
  { withBytes = false }: { readonly withBytes?: boolean } = {},
): AsyncGenerator<TenantLine> {
  requireScope(actor, 'admin');
  for await (const items of itemsOfTenant(table, tenant))
    for (const item of items) if (!isSecretPartition(item.key.pk)) yield toLine(item);
  for (const folder of blobFolders(tenant))
    for (const blob of (await blobs?.list(folder)) ?? []) {
      const bytes = withBytes ? await blobs?.get(blob) : undefined;
      yield bytes ? { blob, base64: Buffer.from(bytes).toString('base64') } : { blob };
    }
}

const toLine = ({ key, expires, isDamaged, ...item }: Item): TenantLine => ({
  ...key,
  expires,
  body: isDamaged ? null : withoutSecrets(item.body),
});

/** Fields that would let their reader act: a confirmation's token answers it. */
const SECRET_FIELDS = new Set(['token']);

const withoutSecrets = (body: Item['body']): Item['body'] =>
  Object.fromEntries(
    Object.entries(body).filter(([name]) => !SECRET_FIELDS.has(name) && !(name === 'digest' && 'scopes' in body)),
  );
