import * as z from 'zod';
import { requireScope } from '../access/scopes.ts';
import { visibleTools } from '../access/visible-tools.ts';
import { auditPk } from '../kernel/item-keys.ts';
import type { Clock, Log, Table, Write } from '../kernel/ports.ts';
import { put, readAll, stored } from '../kernel/stored.ts';
import type { Actor } from '../model/key.ts';

/** Actions that a route of the API audits by itself. */
const ROUTE_ACTIONS = [
  'key-created',
  'key-revoked',
  'tool-registered',
  'tool-changed',
  'tool-removed',
  'snapshot-imported',
  'source-added',
  'source-changed',
  'source-approved',
  'source-removed',
  'tenant-exported',
  'tenant-deleted',
  'acted-for-tenant',
] as const;
export type RouteAction = (typeof ROUTE_ACTIONS)[number];

/** Who decided what about whom. Entries are never changed. */
const AuditEntry = z.object({
  action: z.enum([
    ...ROUTE_ACTIONS,
    'confirmation-approved',
    'confirmation-refused',
    'confirmation-used',
    'confirmation-rejected',
    'confirmation-revealed',
    'grant-made',
    'grant-removed',
    'grant-missing',
    'list-changed',
  ]),
  by: z.string(),
  tool: z.string(),
  about: z.record(z.string(), z.unknown()).optional(),
});
export type AuditEntry = Readonly<z.infer<typeof AuditEntry>>;

const StoredAudit = AuditEntry.extend({ id: z.string(), at: z.iso.datetime() });
export type StoredAudit = Readonly<z.infer<typeof StoredAudit>>;

export const AuditItem = stored<StoredAudit>({ what: 'audit entry', schema: StoredAudit });

export interface AuditContext {
  readonly table: Table;
  readonly clock: Clock;
  readonly log: Log;
}

const RETENTION_SECONDS = 400 * 86_400;

/** The write of one audit entry, with its id and time, for use within another transaction. */
export const auditWriter = ({ clock }: Pick<AuditContext, 'clock'>, tenant: string): ((entry: AuditEntry) => Write) => {
  const now = clock.now();
  const id = clock.newId();
  const at = new Date(now).toISOString();
  const key = { pk: auditPk(tenant, at.slice(0, 7)), sk: id };
  return (entry) => put(key, AuditItem, { id, at, ...entry }, Math.floor(now / 1000) + RETENTION_SECONDS);
};

/** Writes an entry on its own. */
export const audit = async (context: AuditContext, tenant: string, entry: AuditEntry): Promise<void> => {
  context.log.info('audit', { tenant, ...entry });
  await context.table.write([auditWriter(context, tenant)(entry)]);
};

/** A month's entries, newest first; a confined key sees those about its tools. */
export const readAudit = async (
  { table }: Pick<AuditContext, 'table'>,
  actor: Actor,
  month: string,
  page: { readonly limit: number; readonly after?: string },
): Promise<{ readonly entries: readonly StoredAudit[]; readonly next?: string }> => {
  requireScope(actor, 'tenant_admin');
  const { items, next } = await table.query(auditPk(actor.tenant, month), { reverse: true, ...page });
  const visible = visibleTools(actor);
  const entries = readAll(items, AuditItem).filter(({ tool }) => visible.has(tool));
  return next === undefined ? { entries } : { entries, next };
};
