import * as z from 'zod';
import { findKey } from '../access/api-keys.ts';
import { hasScope, requireScope } from '../access/scopes.ts';
import { isPrincipal } from '../access/token-actor.ts';
import { requireVisible, visibleTools } from '../access/visible-tools.ts';
import { Fault } from '../kernel/errors.ts';
import { GRANT_PREFIX, grantKey, toolsPk } from '../kernel/item-keys.ts';
import type { Table } from '../kernel/ports.ts';
import { put, read, readAll, stored } from '../kernel/stored.ts';
import type { Actor } from '../model/key.ts';
import type { VersionRecord } from '../model/registration.ts';
import { missingVersion } from '../registry/change-state.ts';
import { unknownTool } from '../registry/change-tool.ts';
import type { RegistryContext } from '../registry/context.ts';
import { resolveVersion } from '../registry/versions.ts';
import { audit, auditWriter } from './audit.ts';
import type { Call, LayerContext } from './call.ts';

/** Permission for one key to run one version of a dangerous tool until it expires. */
const Grant = z.object({
  key_id: z.string(),
  tool: z.string(),
  version: z.string(),
  digest: z.string(),
  expires_at: z.iso.datetime(),
  granted_by: z.string(),
  granted_at: z.iso.datetime(),
});
export type Grant = Readonly<z.infer<typeof Grant>>;

export const GrantItem = stored<Grant>({ what: 'grant', schema: Grant, cure: 'take the grant back and give it again' });

/** The operator's key, which is not stored. */
const ADMIN_KEY_ID = 'admin';
const LONGEST_MS = 366 * 86_400_000;

/** Requires an admin's grant for a dangerous call. */
export const requireGrant = async (context: LayerContext, call: Call): Promise<void> => {
  const { tenant } = call.actor;
  const keyId = consentHolder(call.actor);
  const { spec } = call.record;
  const why = await grantProblem(context, call.actor, call.record);
  if (why === undefined) return;
  const about = { call_id: call.id, reason: why };
  await audit(context, tenant, { action: 'grant-missing', by: keyId, tool: spec.name, about });
  throw new Fault(
    'Forbidden',
    `${spec.name} is a dangerous tool and ${why}; an admin can grant it to the key ${keyId}`,
    {
      tool: spec.name,
      permission: 'dangerous',
      key_id: keyId,
    },
  );
};

/** Why a key may not run a dangerous tool now; undefined when it may. */
export const grantProblem = async (
  { table, clock }: Pick<RegistryContext, 'table' | 'clock'>,
  actor: Actor,
  { spec, digest, version }: VersionRecord,
): Promise<string | undefined> => {
  const item = await table.get(grantKey(actor.tenant, consentHolder(actor), spec.name));
  return whyNot(item && read(item, GrantItem), digest, version, clock.now());
};

/** A plan's nodes use the grants of the key that called it. */
const consentHolder = ({ keyId, onBehalfOf }: Actor): string => onBehalfOf ?? keyId;

const whyNot = (grant: Grant | undefined, digest: string, version: string, now: number): string | undefined => {
  if (!grant) return 'this key has no grant for it';
  if (Date.parse(grant.expires_at) <= now) return `this key's grant expired at ${grant.expires_at}`;
  if (grant.digest !== digest) return `this key's grant is for another definition than ${version}`;
  return undefined;
};

/** Grants the current definition of a dangerous tool to one key of the tenant. */
export const grantTool = async (
  context: RegistryContext,
  actor: Actor,
  keyId: string,
  name: string,
  asked: { readonly expires_at: string; readonly version?: string | undefined },
): Promise<Grant> => {
  requireScope(actor, 'tenant_admin');
  requireVisible(actor, name);
  const { tenant } = actor;
  const now = context.clock.now();
  checkExpiry(asked.expires_at, now);
  await requireKey(context.table, tenant, keyId);
  const { catalog } = await context.catalogs.of(tenant);
  const found = catalog.find(name);
  if (!found) throw unknownTool(name, catalog.names());
  if (found.shipped && !hasScope(actor, 'admin'))
    throw new Fault('Forbidden', `${name} is not a tool of this tenant; only an admin key grants it`, { tool: name });
  const record = resolveVersion(found.family, asked.version);
  if (!record) throw missingVersion(found.family, asked.version ?? 'default');
  const grant: Grant = {
    key_id: keyId,
    tool: name,
    version: record.version,
    digest: record.digest,
    expires_at: asked.expires_at,
    granted_by: actor.keyId,
    granted_at: new Date(now).toISOString(),
  };
  const about = { key_id: keyId, version: record.version, expires_at: asked.expires_at };
  const expires = Math.ceil(Date.parse(asked.expires_at) / 1000);
  const entry = auditWriter(context, tenant)({ action: 'grant-made', by: actor.keyId, tool: name, about });
  const key = grantKey(tenant, keyId, name);
  await context.table.change([key], ([item]) => {
    // An unreadable grant is not overwritten.
    if (item) read(item, GrantItem);
    return { writes: [put(key, GrantItem, grant, expires), entry], result: undefined };
  });
  return grant;
};

/** Revokes a grant; idempotent. */
export const removeGrant = (context: RegistryContext, actor: Actor, keyId: string, name: string): Promise<void> => {
  requireScope(actor, 'tenant_admin');
  requireVisible(actor, name);
  const key = grantKey(actor.tenant, keyId, name);
  const about = { key_id: keyId };
  const entry = auditWriter(context, actor.tenant)({ action: 'grant-removed', by: actor.keyId, tool: name, about });
  return context.table.change([key], ([item]) => ({
    writes: item ? [{ remove: key }, entry] : [],
    result: undefined,
  }));
};

export const listGrants = async (
  { table }: Pick<RegistryContext, 'table'>,
  actor: Actor,
  page: { readonly limit: number; readonly after?: string },
): Promise<{ readonly grants: readonly Grant[]; readonly next?: string }> => {
  requireScope(actor, 'tenant_admin');
  const { items, next } = await table.query(toolsPk(actor.tenant), { prefix: GRANT_PREFIX, ...page });
  const visible = visibleTools(actor);
  const grants = readAll(items, GrantItem).filter(({ tool }) => visible.has(tool));
  return next === undefined ? { grants } : { grants, next };
};

const checkExpiry = (expiresAt: string, now: number): void => {
  const at = Date.parse(expiresAt);
  if (at > now && at <= now + LONGEST_MS) return;
  const why = at <= now ? 'is in the past' : 'is more than a year away';
  throw new Fault('InvalidInput', `expires_at ${expiresAt} ${why}; a grant ends within a year`, {
    field: 'expires_at',
    value: expiresAt,
  });
};

const requireKey = async (table: Table, tenant: string, keyId: string): Promise<void> => {
  // A token's principal is not stored, so it may get a grant before its first call.
  if (keyId === ADMIN_KEY_ID || isPrincipal(keyId)) return;
  const key = await findKey(table, keyId);
  if (key?.tenant === tenant && key.revoked_at === undefined) return;
  throw new Fault('NotFound', `no key with the id ${JSON.stringify(keyId)} that is in use`, { id: keyId });
};
