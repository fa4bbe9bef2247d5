import { findKey } from '../access/api-keys.ts';
import { sha256 } from '../kernel/canonical-json.ts';
import { idOfApiKey, tenantOfRevision } from '../kernel/item-keys.ts';
import type { Blobs, Key, Table } from '../kernel/ports.ts';
import { parseBody } from '../kernel/stored.ts';
import type { ApiKey } from '../model/key.ts';
import type { Family } from '../model/registration.ts';
import type { Layer } from './catalog.ts';
import { readRevision } from './families.ts';
import {
  type AsOf,
  asOfFile,
  keyFile,
  layerFile,
  layerFolder,
  layerPointer,
  type Pointer,
  type PublishedFamilies,
  type PublishedKey,
  tenantFile,
  tenantFolder,
  tenantPointer,
} from './published.ts';
import { readFamilies } from './read-families.ts';

export interface PublishContext {
  readonly table: Table;
  readonly blobs: Blobs;
  /** The largest catalogue the edge holds for one tenant. */
  readonly maxBytes?: number;
}

const MAX_BYTES = 8 * 1024 * 1024;
// The pointer is polled every few seconds.
const MAX_INLINE = 16 * 1024;
const MAX_ROUNDS = 5;

/** Publishes changed items to the edge: keys first, because a late revocation is worse than a late tool. */
export const publishChanges = async (context: PublishContext, changed: readonly Key[]): Promise<void> => {
  const ids = new Set(changed.flatMap((key) => idOfApiKey(key) ?? []));
  await Promise.all([...ids].map((id) => publishKey(context, id)));
  const tenants = new Set(changed.flatMap((key) => tenantOfRevision(key) ?? []));
  await Promise.all([...tenants].map((tenant) => publishTenant(context, tenant)));
};

/** Publishes the present state of a key, whatever the change was. */
const publishKey = async ({ table, blobs }: PublishContext, id: string): Promise<void> => {
  const key = await findKey(table, id);
  if (!key) return blobs.remove(keyFile(id));
  await blobs.put(keyFile(id), encodeJson(publishedKey(key)), JSON_TYPE);
  // A tenant that has only the shipped tools has no revision: its first key introduces it.
  if ((await readPointer(blobs, tenantPointer(key.tenant))) === undefined)
    await publishTenant({ table, blobs }, key.tenant);
};

/** Tells the edge up to when everything is published; the caller has published everything before that. */
export const publishAsOf = (blobs: Blobs, as_of: number): Promise<void> =>
  blobs.put(asOfFile, encodeJson({ v: 1, as_of } satisfies AsOf), JSON_TYPE);

/** Publishes a tenant's own tools: an immutable file, then the pointer to it. */
export const publishTenant = async (context: PublishContext, tenant: string): Promise<void> => {
  const { table, blobs } = context;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    // The pointer is read first: only a restored table can then be behind it, and is published too.
    const known = await readPointer(blobs, tenantPointer(tenant));
    const revision = await readRevision(table, tenant);
    if (known?.revision === revision) return;
    const stored = await Array.fromAsync(readFamilies(table, tenant));
    // The edge must not answer with a shipped tool in place of an unreadable one, so it asks the origin.
    const families = stored.map((each): Family => ('fault' in each ? switchedOff(each.name) : each));
    await writeTenant(context, tenant, revision, families);
    await removeOld(blobs, tenantFolder(tenant), [tenantPointer(tenant), known?.file]);
    // Repeated, because another publisher may have written an older pointer, or the tenant may have changed since.
  }
};

const writeTenant = async (
  { blobs, maxBytes = MAX_BYTES }: PublishContext,
  tenant: string,
  revision: number,
  families: readonly Family[],
): Promise<void> => {
  const content: PublishedFamilies = { v: 1, families };
  const bytes = encodeJson(content);
  const file = tenantFile(tenant, revision, sha256(bytes));
  const isHeld = bytes.length <= maxBytes;
  if (isHeld) await blobs.put(file, bytes, JSON_TYPE);
  const pointer: Pointer = {
    v: 1,
    revision,
    file: isHeld ? file : undefined,
    bytes: isHeld ? bytes.length : undefined,
    content: bytes.length <= Math.min(MAX_INLINE, maxBytes) ? content : undefined,
  };
  await blobs.put(tenantPointer(tenant), encodeJson(pointer), JSON_TYPE);
};

/** Publishes this deployment's shipped tools, unless they are already published. */
export const publishLayer = async ({ blobs }: Pick<PublishContext, 'blobs'>, layer: Layer): Promise<void> => {
  const families = [...layer.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  const bytes = encodeJson({ v: 1, families } satisfies PublishedFamilies);
  const file = layerFile(sha256(bytes));
  const known = await readPointer(blobs, layerPointer);
  if (known?.file === file) return;
  await blobs.put(file, bytes, JSON_TYPE);
  await blobs.put(layerPointer, encodeJson({ v: 1, revision: 0, file } satisfies Pointer), JSON_TYPE);
  await removeOld(blobs, layerFolder, [layerPointer, file, known?.file]);
};

/** A reader that just read the pointer may still fetch the previous file; older ones can go. */
const removeOld = async (blobs: Blobs, folder: string, kept: readonly (string | undefined)[]): Promise<void> => {
  const current = (await readPointer(blobs, `${folder}current.json`))?.file;
  const old = (await blobs.list(folder)).filter((key) => key !== current && !kept.includes(key));
  await Promise.all(old.map((key) => blobs.remove(key)));
};

const publishedKey = ({ id, tenant, digest, scopes, created_at, ...key }: ApiKey): PublishedKey => ({
  v: 1,
  id,
  tenant,
  digest,
  scopes,
  created_at,
  tools: key.tools,
  rate: key.rate,
  expires_at: key.expires_at,
  revoked_at: key.revoked_at,
});

const switchedOff = (name: string): Family => ({ name, enabled: false, versions: [] });

const JSON_TYPE = 'application/json';

const encodeJson = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));

const readPointer = async (blobs: Blobs, key: string): Promise<Pointer | undefined> => {
  const bytes = await blobs.get(key);
  // An unreadable pointer is replaced.
  return bytes && (parseBody(new TextDecoder().decode(bytes)) as Pointer | undefined);
};
