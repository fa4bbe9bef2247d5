import { requireScope } from '../access/scopes.ts';
import { principalOf } from '../access/token-actor.ts';
import { visibleTools } from '../access/visible-tools.ts';
import { Fault } from '../kernel/errors.ts';
import { CONFIRMATION_PREFIX, confirmationKey, onceKey, openQuestionsKey, toolsPk } from '../kernel/item-keys.ts';
import type { Item, Key, Table } from '../kernel/ports.ts';
import { put, read, readAll } from '../kernel/stored.ts';
import type { Actor } from '../model/key.ts';
import { readAskedArguments } from './asked-arguments.ts';
import { type AuditContext, audit, auditWriter } from './audit.ts';
import {
  type Confirmation,
  ConfirmationItem,
  ConfirmationPointerItem,
  keyOfId,
  keyOfToken,
  unknownConfirmation,
} from './confirmation-item.ts';
import { OpenQuestionsItem } from './open-questions.ts';

export type { Confirmation } from './confirmation-item.ts';

type Which = { readonly token: string } | { readonly id: string };

/** Records a person's decision; the call itself is then made by the key that asked. */
export const decideConfirmation = async (
  context: AuditContext,
  actor: Actor,
  which: Which,
  approve: boolean,
): Promise<Confirmation> => {
  if (approve) requireScope(actor, 'approve');
  const { tenant, keyId } = actor;
  const key = await findKey(context.table, tenant, which);
  const { key: asker } = await readConfirmation(context, actor, key);
  const openKey = openQuestionsKey(tenant, asker);
  const write = auditWriter(context, tenant);
  return context.table.change([key, openKey], ([item, openItem]) => {
    const found = visible(context, actor, item);
    // The key or client that asked may withdraw its request; anybody else needs the scope, also to refuse.
    if (found.key !== principalOf(actor)) requireScope(actor, 'approve');
    if (found.state !== 'pending')
      throw new Fault('Conflict', `this confirmation is ${found.state} already; a decision is final`, {
        state: found.state,
      });
    const decided: Confirmation = { ...found, state: approve ? 'approved' : 'refused', decided_by: keyId };
    const action = approve ? 'confirmation-approved' : 'confirmation-refused';
    const about = { confirmation: found.id, key: found.key, arguments_sha256: found.arguments_sha256 };
    const entry = write({ action, by: keyId, tool: found.tool, about });
    const writes = [put(key, ConfirmationItem, decided, item?.expires), entry];
    // A refused question is closed and may be asked again; an approved one stays open until its call has used it.
    if (!approve && openItem) {
      const { open } = read(openItem, OpenQuestionsItem);
      const rest = open.filter(({ token }) => !token.startsWith(`${found.id}.`));
      writes.push(put(openKey, OpenQuestionsItem, { open: rest }, openItem.expires));
    }
    return { writes, result: decided };
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
    after: page.after === undefined ? undefined : confirmationKey(tenant, page.after).sk,
  });
  const pointers = readAll(items, ConfirmationPointerItem);
  const found = await Promise.all(pointers.map(({ token_sha256 }) => table.get(onceKey(tenant, token_sha256))));
  const tools = visibleTools(actor);
  const confirmations = readAll(
    found.filter((item) => item !== undefined),
    ConfirmationItem,
  ).filter(({ tool }) => tools.has(tool));
  return next === undefined ? { confirmations } : { confirmations, next: next.slice(CONFIRMATION_PREFIX.length) };
};

/** One confirmation with the original arguments: everything that the decision is about. */
export const revealConfirmation = async (context: AuditContext, actor: Actor, id: string): Promise<Confirmation> => {
  requireScope(actor, 'approve');
  const { table } = context;
  const { tenant, keyId } = actor;
  const found = await readConfirmation(context, actor, await keyOfId(table, tenant, id));
  if (!found.hidden) return found;
  const whole = await readAskedArguments(table, tenant, id);
  if (whole === undefined) throw unknownConfirmation();
  const { tool, hidden, ...rest } = found;
  const about = { confirmation: id, key: found.key, redacted: hidden.redacted, cut: hidden.cut };
  await audit(context, tenant, { action: 'confirmation-revealed', by: keyId, tool, about });
  return { ...rest, tool, arguments: whole };
};

const findKey = async (table: Table, tenant: string, which: Which): Promise<Key> =>
  'token' in which ? keyOfToken(tenant, which.token) : keyOfId(table, tenant, which.id);

const readConfirmation = async (context: AuditContext, actor: Actor, key: Key): Promise<Confirmation> =>
  visible(context, actor, await context.table.get(key));

const visible = ({ clock }: AuditContext, actor: Actor, item: Item | undefined): Confirmation => {
  const found = item && read(item, ConfirmationItem);
  if (!found || clock.now() >= Date.parse(found.expires_at)) throw unknownConfirmation();
  if (!visibleTools(actor).has(found.tool)) throw unknownConfirmation();
  return found;
};
