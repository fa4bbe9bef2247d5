import * as z from 'zod';
import { hasScope, requireScope } from '../access/scopes.ts';
import { visibleTools } from '../access/visible-tools.ts';
import { canonicalJson, sha256 } from '../kernel/canonical-json.ts';
import { Fault } from '../kernel/errors.ts';
import { CONFIRMATION_PREFIX, confirmationKey, onceKey, toolsPk } from '../kernel/item-keys.ts';
import type { Key, Table } from '../kernel/ports.ts';
import { put, read, readAll, stored } from '../kernel/stored.ts';
import type { Actor } from '../model/key.ts';
import { type AuditContext, type AuditEntry, audit, auditWriter } from './audit.ts';
import type { Call, LayerContext } from './call.ts';
import { cutValue } from './cut-values.ts';

const VALID_MS = 10 * 60_000;

/** One confirmation request: may this key run this tool with these arguments, once? */
const Confirmation = z.object({
  id: z.string(),
  state: z.enum(['pending', 'approved', 'refused', 'used']),
  key: z.string(),
  tool: z.string(),
  version: z.string(),
  digest: z.string(),
  /** SHA-256 of the arguments; those shown are redacted. */
  arguments_sha256: z.string(),
  arguments: z.unknown(),
  created_at: z.iso.datetime(),
  expires_at: z.iso.datetime(),
  decided_by: z.string().optional(),
});
export type Confirmation = Readonly<z.infer<typeof Confirmation>>;

export const ConfirmationItem = stored<Confirmation>({
  what: 'confirmation',
  schema: Confirmation,
  cure: 'call again without it to ask anew',
});
/** Points from a confirmation's id to its item. */
export const ConfirmationPointerItem = stored({
  what: 'pointer to a confirmation',
  schema: z.object({ token_sha256: z.string() }),
  cure: ConfirmationItem.cure,
});

/** Lets a call through that a person confirmed; otherwise requests confirmation and refuses for now. */
export const requireConsent = async (context: LayerContext, call: Call): Promise<void> => {
  const { approvedBy } = call.options;
  if (approvedBy !== undefined) return audit(context, call.actor.tenant, used(call, approvedBy, call.id));
  const token = call.invocation.confirmation;
  if (token === undefined) throw await askConsent(context, call);
  await useConsent(context, call, token);
};

const askConsent = async (context: LayerContext, call: Call): Promise<Fault> => {
  const { clock, table, redact } = context;
  const { tenant } = call.actor;
  const { spec, version, digest } = call.record;
  const id = clock.newId();
  const token = `${id}.${Buffer.from(context.random(24)).toString('base64url')}`;
  const now = clock.now();
  const asked: Confirmation = {
    id,
    state: 'pending',
    key: call.actor.keyId,
    tool: spec.name,
    version,
    digest,
    arguments_sha256: digestOfArguments(call),
    arguments: cutValue(redact.arguments(call.record, call.args)),
    created_at: new Date(now).toISOString(),
    expires_at: new Date(now + VALID_MS).toISOString(),
  };
  const expires = Math.ceil((now + VALID_MS) / 1000);
  await table.write([
    put(keyOfToken(tenant, token), ConfirmationItem, asked, expires),
    put(confirmationKey(tenant, id), ConfirmationPointerItem, { token_sha256: sha256(token) }, expires),
  ]);
  return confirmationRequired(asked, token, `${spec.name} needs a person's consent; have this confirmation approved`);
};

/** Consumes a token, in one transaction so that it works only once. */
const useConsent = async (context: LayerContext, call: Call, token: string): Promise<void> => {
  const { tenant } = call.actor;
  const key = keyOfToken(tenant, token);
  const write = auditWriter(context, tenant);
  const refusal = await context.table.change([key], ([item]) => {
    const found = item && read(item, ConfirmationItem);
    const fault = found ? whyNot(found, call, token, context.clock.now()) : unknownToken(call);
    if (fault || !found) return { writes: [], result: fault };
    const by = found.decided_by ?? call.actor.keyId;
    const spent: Confirmation = { ...found, state: 'used', decided_by: by };
    return {
      writes: [put(key, ConfirmationItem, spent, item?.expires), write(used(call, by, found.id))],
      result: undefined,
    };
  });
  if (!refusal) return;
  await audit(context, tenant, {
    action: 'confirmation-rejected',
    by: call.actor.keyId,
    tool: call.record.spec.name,
    about: { call_id: call.id, reason: refusal.message },
  });
  throw refusal;
};

const whyNot = (found: Confirmation, call: Call, token: string, now: number): Fault | undefined => {
  const refuse = (why: string) =>
    new Fault('Forbidden', `this confirmation ${why}; call again without it to ask anew`, {
      tool: call.record.spec.name,
      confirmation: { id: found.id, state: found.state, expires_at: found.expires_at },
    });
  if (now >= Date.parse(found.expires_at)) return refuse(`expired at ${found.expires_at}`);
  if (found.state === 'used') return refuse('was used already');
  if (found.state === 'refused') return refuse(`was refused by ${found.decided_by}`);
  if (found.key !== call.actor.keyId) return refuse('was given to another key');
  if (found.tool !== call.record.spec.name) return refuse(`is for ${found.tool}`);
  if (found.digest !== call.record.digest) return refuse(`is for another definition than ${call.record.version}`);
  if (found.arguments_sha256 !== digestOfArguments(call)) return refuse('is for other arguments');
  if (found.state === 'pending' && !mayApprove(call.actor))
    return confirmationRequired(found, token, `${found.tool} still waits for a person's consent`);
  return undefined;
};

/** Records a person's decision; the call itself is made by the key that asked. */
export const decideConfirmation = async (
  context: AuditContext,
  actor: Actor,
  which: { readonly token: string } | { readonly id: string },
  approve: boolean,
): Promise<Confirmation> => {
  if (approve) requireScope(actor, 'approve');
  const { tenant, keyId } = actor;
  const key = 'token' in which ? keyOfToken(tenant, which.token) : await keyOfId(context.table, tenant, which.id);
  const write = auditWriter(context, tenant);
  return context.table.change([key], ([item]) => {
    const found = item && read(item, ConfirmationItem);
    if (!found || context.clock.now() >= Date.parse(found.expires_at)) throw unknownConfirmation();
    if (!visibleTools(actor).has(found.tool)) throw unknownConfirmation();
    // The asking key may withdraw its request; anybody else needs the scope, also to deny.
    if (found.key !== keyId) requireScope(actor, 'approve');
    if (found.state !== 'pending')
      throw new Fault('Conflict', `this confirmation is ${found.state} already; a decision stands`, {
        state: found.state,
      });
    const decided: Confirmation = { ...found, state: approve ? 'approved' : 'refused', decided_by: keyId };
    const action = approve ? 'confirmation-approved' : 'confirmation-refused';
    const about = { confirmation: found.id, key: found.key, arguments_sha256: found.arguments_sha256 };
    const entry = write({ action, by: keyId, tool: found.tool, about });
    return { writes: [put(key, ConfirmationItem, decided, item?.expires), entry], result: decided };
  });
};

/** The confirmations that have not expired, oldest first. */
export const listConfirmations = async (
  { table }: Pick<AuditContext, 'table'>,
  actor: Actor,
  page: { readonly limit: number; readonly after?: string },
): Promise<{ readonly confirmations: readonly Confirmation[]; readonly next?: string }> => {
  requireScope(actor, 'approve');
  const { tenant } = actor;
  const { items, next } = await table.query(toolsPk(tenant), {
    prefix: CONFIRMATION_PREFIX,
    limit: page.limit,
    ...(page.after === undefined ? {} : { after: confirmationKey(tenant, page.after).sk }),
  });
  const pointers = readAll(items, ConfirmationPointerItem);
  const found = await Promise.all(pointers.map(({ token_sha256 }) => table.get(onceKey(tenant, token_sha256))));
  const visible = visibleTools(actor);
  const confirmations = readAll(
    found.filter((item) => item !== undefined),
    ConfirmationItem,
  ).filter(({ tool }) => visible.has(tool));
  return next === undefined ? { confirmations } : { confirmations, next: next.slice(CONFIRMATION_PREFIX.length) };
};

const mayApprove = (actor: Actor): boolean => hasScope(actor, 'approve');

const digestOfArguments = ({ args }: Call): string => sha256(canonicalJson(args));

const keyOfToken = (tenant: string, token: string): Key => onceKey(tenant, sha256(token));

const keyOfId = async (table: Table, tenant: string, id: string): Promise<Key> => {
  const pointer = await table.get(confirmationKey(tenant, id));
  if (!pointer) throw unknownConfirmation();
  return onceKey(tenant, read(pointer, ConfirmationPointerItem).token_sha256);
};

const used = (call: Call, by: string, id: string): AuditEntry => ({
  action: 'confirmation-used',
  by: call.actor.keyId,
  tool: call.record.spec.name,
  about: { call_id: call.id, confirmation: id, approved_by: by },
});

const confirmationRequired = (asked: Confirmation, token: string, message: string): Fault =>
  new Fault('ConfirmationRequired', `${message}, then send the call again with it`, {
    tool: asked.tool,
    version: asked.version,
    arguments_sha256: asked.arguments_sha256,
    confirmation: { token, expires_at: asked.expires_at, id: asked.id },
  });

const unknownToken = ({ record }: Call): Fault =>
  new Fault('Forbidden', 'this confirmation is unknown, altered or expired; call again without it to ask anew', {
    tool: record.spec.name,
  });

const unknownConfirmation = (): Fault =>
  new Fault('NotFound', 'no such confirmation is waiting; it may have expired, or belong to another tenant');
