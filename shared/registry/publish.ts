import { findKey } from '../access/api-keys.ts';
import { sha256 } from '../kernel/canonical-json.ts';
import { idOfApiKey, tenantOfRevision } from '../kernel/item-keys.ts';
import type { Blobs, Key, Table } from '../kernel/ports.ts';
import { parseBody } from '../kernel/stored.ts';
import type { ApiKey } from '../model/key.ts';
import type { Family } from '../model/registration.ts';
import type { Layer } from './catalog.ts';
import { readFamilies, readRevision } from './families.ts';
import {
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

export interface PublishContext {
  readonly table: Table;
  readonly blobs: Blobs;
  /** More than this the edge shall not hold for one tenant. */
  readonly maxBytes?: number;
}

const MAX_BYTES = 16 * 1024 * 1024;
// The pointer is read every few seconds.
const MAX_INLINE = 16 * 1024;
const MAX_ROUNDS = 5;

/** Publishes what a set of changed items means for the edge: keys first, since they can only be refused late. */
export const publishChanges = async (context: PublishContext, changed: readonly Key[]): Promise<void> => {
  const ids = new Set(changed.flatMap((key) => idOfApiKey(key) ?? []));
  await Promise.all([...ids].map((id) => publishKey(context, id)));
  const tenants = new Set(changed.flatMap((key) => tenantOfRevision(key) ?? []));
  await Promise.all([...tenants].map((tenant) => publishTenant(context, tenant)));
};

/** Publishes a key as it stands now, whatever the change that told of it. */
const publishKey = async ({ table, blobs }: PublishContext, id: string): Promise<void> => {
  const key = await findKey(table, id);
  if (!key) return blobs.remove(keyFile(id));
  await blobs.put(keyFile(id), bytesOf(publishedKey(key)), JSON_TYPE);
  // A tenant that has only the shipped tools has no revision: its first key makes it known.
  if ((await readPointer(blobs, tenantPointer(key.tenant))) === undefined)
    await publishTenant({ table, blobs }, key.tenant);
};

/** Publishes a tenant's own tools: a file that never changes, then the pointer to it. */
export const publishTenant = async (context: PublishContext, tenant: string): Promise<void> => {
  const { table, blobs } = context;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    // The pointer first: only a restored table can then be behind it, and is published too.
    const known = await readPointer(blobs, tenantPointer(tenant));
    const revision = await readRevision(table, tenant);
    if (known?.revision === revision) return;
    const stored = await Array.fromAsync(readFamilies(table, tenant));
    // The edge shall not answer with a shipped tool in place of one that cannot be read: it asks the origin.
    const families = stored.map((each): Family => ('fault' in each ? switchedOff(each.name) : each));
    await writeTenant(context, tenant, revision, families);
    await removeOld(blobs, tenantFolder(tenant), [tenantPointer(tenant), known?.file]);
    // Once more: another publisher may have put an older pointer over ours, or the tenant has moved on.
  }
};

const writeTenant = async (
  { blobs, maxBytes = MAX_BYTES }: PublishContext,
  tenant: string,
  revision: number,
  families: readonly Family[],
): Promise<void> => {
  const content: PublishedFamilies = { v: 1, families };
  const bytes = bytesOf(content);
  const file = tenantFile(tenant, revision, sha256(bytes));
  const isHeld = bytes.length <= maxBytes;
  if (isHeld) await blobs.put(file, bytes, JSON_TYPE);
  const short = bytes.length <= Math.min(MAX_INLINE, maxBytes) ? { content } : {};
  const pointer: Pointer = { v: 1, revision, ...(isHeld ? { file } : {}), ...short };
  await blobs.put(tenantPointer(tenant), bytesOf(pointer), JSON_TYPE);
};

/** Publishes the tools that come with this deployment, when they are not published already. */
export const publishLayer = async ({ blobs }: Pick<PublishContext, 'blobs'>, layer: Layer): Promise<void> => {
  const families = [...layer.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  const bytes = bytesOf({ v: 1, families } satisfies PublishedFamilies);
  const file = layerFile(sha256(bytes));
  const known = await readPointer(blobs, layerPointer);
  if (known?.file === file) return;
  await blobs.put(file, bytes, JSON_TYPE);
  await blobs.put(layerPointer, bytesOf({ v: 1, revision: 0, file } satisfies Pointer), JSON_TYPE);
  await removeOld(blobs, layerFolder, [layerPointer, file, known?.file]);
};

/** Whoever has just read the pointer may still fetch the file before; older ones are wanted by nobody. */
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

const bytesOf = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));

const readPointer = async (blobs: Blobs, key: string): Promise<Pointer | undefined> => {
  const bytes = await blobs.get(key);
  // One that cannot be read is published anew.
  return bytes && (parseBody(new TextDecoder().decode(bytes)) as Pointer | undefined);
};
