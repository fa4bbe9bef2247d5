import { hasScope } from '../access/scopes.ts';
import { principalOf } from '../access/token-actor.ts';
import { canonicalJson, sha256 } from '../kernel/canonical-json.ts';
import { Fault } from '../kernel/errors.ts';
import { confirmationKey, openQuestionsKey } from '../kernel/item-keys.ts';
import type { Item } from '../kernel/ports.ts';
import { put, read } from '../kernel/stored.ts';
import { showArguments, writeArguments } from './asked-arguments.ts';
import { type AuditEntry, audit, auditWriter } from './audit.ts';
import type { Call, LayerContext } from './call.ts';
import { type Confirmation, ConfirmationItem, ConfirmationPointerItem, keyOfToken } from './confirmation-item.ts';
import { addOpen, findOpen, type OpenQuestion, OpenQuestionsItem, removeOpen } from './open-questions.ts';

const VALID_MS = 10 * 60_000;

/** Allows a call that a person has confirmed; otherwise requests confirmation and refuses for now. */
export const requireConsent = async (context: LayerContext, call: Call): Promise<void> => {
  const { approvedBy } = call.options;
  if (approvedBy !== undefined) return audit(context, call.actor.tenant, used(call, approvedBy, call.id));
  const token = call.invocation.confirmation;
  if (token === undefined) return requireApproval(context, call);
  const refusal = await useConsent(context, call, token, 'sent');
  if (refusal) throw await rejected(context, call, refusal);
};

/** A call without a token is allowed if the same call of the same key was approved. */
const requireApproval = async (context: LayerContext, call: Call): Promise<void> => {
  const item = await context.table.get(openQuestionsKey(call.actor.tenant, principalOf(call.actor)));
  const known = findOpen(readOpen(item), writeQuestion(call), context.clock.now());
  if (!known) throw await askConsent(context, call);
  const refusal = await useConsent(context, call, known.token, 'found');
  if (refusal?.code === 'ConfirmationRequired') throw refusal;
  // It expired or was used in the meantime.
  if (refusal) throw await askConsent(context, call);
};

const askConsent = async (context: LayerContext, call: Call): Promise<Fault> => {
  const { clock, table } = context;
  const { tenant } = call.actor;
  const now = clock.now();
  const id = clock.newId();
  const token = `${id}.${Buffer.from(context.random(24)).toString('base64url')}`;
  const expires_at = new Date(now + VALID_MS).toISOString();
  const expires = Math.ceil((now + VALID_MS) / 1000);
  const asked = confirmationFor(context, call, id, expires_at);
  // The arguments are stored before the question, so that nobody is asked about arguments they cannot see.
  if (asked.hidden) await table.write(writeArguments(tenant, id, call.args, expires));
  const openKey = openQuestionsKey(tenant, principalOf(call.actor));
  const question = writeQuestion(call);
  const added: OpenQuestion = { question, token, bytes: asked.hidden?.bytes ?? 0, expires_at };
  const open = await table.change([openKey], ([item]) => {
    const known = findOpen(readOpen(item), question, now);
    if (known) return { writes: [], result: known };
    const writes = [
      put(openKey, OpenQuestionsItem, { open: [...addOpen(readOpen(item), added, now)] }, expires),
      put(keyOfToken(tenant, token), ConfirmationItem, asked, expires),
      put(confirmationKey(tenant, id), ConfirmationPointerItem, { token_sha256: sha256(token) }, expires),
    ];
    return { writes, result: added };
  });
  const standing = { ...asked, id: idOfToken(open.token), expires_at: open.expires_at };
  return confirmationRequired(standing, open.token, `${asked.tool} needs a person's consent`);
};

const confirmationFor = (context: LayerContext, call: Call, id: string, expires_at: string): Confirmation => ({
  id,
  state: 'pending',
  key: principalOf(call.actor),
  tool: call.record.spec.name,
  version: call.record.version,
  digest: call.record.digest,
  arguments_sha256: digestOfArguments(call),
  ...showArguments(context, call),
  created_at: new Date(Date.parse(expires_at) - VALID_MS).toISOString(),
  expires_at,
});

/** Uses up a confirmation in one transaction, so that it works only once; or returns why it is not valid. */
const useConsent = async (
  context: LayerContext,
  call: Call,
  token: string,
  by: 'sent' | 'found',
): Promise<Fault | undefined> => {
  const { tenant, keyId } = call.actor;
  const key = keyOfToken(tenant, token);
  const openKey = openQuestionsKey(tenant, principalOf(call.actor));
  const write = auditWriter(context, tenant);
  return context.table.change([key, openKey], ([item, openItem]) => {
    const found = item && read(item, ConfirmationItem);
    const fault = found ? whyNot(found, call, token, context.clock.now(), by) : unknownToken(call);
    if (fault || !found) return { writes: [], result: fault };
    const decidedBy = found.decided_by ?? keyId;
    const spent: Confirmation = { ...found, state: 'used', decided_by: decidedBy };
    const writes = [put(key, ConfirmationItem, spent, item?.expires), write(used(call, decidedBy, found.id))];
    const open = removeOpen(readOpen(openItem), token);
    if (openItem) writes.push(put(openKey, OpenQuestionsItem, { open: [...open] }, openItem.expires));
    return { writes, result: undefined };
  });
};

const whyNot = (found: Confirmation, call: Call, token: string, now: number, by: 'sent' | 'found') => {
  const refuse = (why: string) =>
    new Fault('Forbidden', `this confirmation ${why}; call again without it to ask again`, {
      tool: call.record.spec.name,
      confirmation: { id: found.id, state: found.state, expires_at: found.expires_at },
    });
  if (now >= Date.parse(found.expires_at)) return refuse(`expired at ${found.expires_at}`);
  if (found.state === 'used') return refuse('was used already');
  if (found.state === 'refused') return refuse(`was refused by ${found.decided_by}`);
  if (found.key !== principalOf(call.actor)) return refuse('was given to another key');
  if (found.tool !== call.record.spec.name) return refuse(`is for ${found.tool}`);
  if (found.digest !== call.record.digest) return refuse(`is for another definition than ${call.record.version}`);
  if (found.arguments_sha256 !== digestOfArguments(call)) return refuse('is for other arguments');
  // Consent is given by sending the token; repeating the call is not enough.
  if (found.state === 'pending' && !(by === 'sent' && hasScope(call.actor, 'approve')))
    return confirmationRequired(found, token, `${found.tool} still waits for a person's consent`);
  return undefined;
};

const rejected = async (context: LayerContext, call: Call, refusal: Fault): Promise<Fault> => {
  await audit(context, call.actor.tenant, {
    action: 'confirmation-rejected',
    by: call.actor.keyId,
    tool: call.record.spec.name,
    about: { call_id: call.id, reason: refusal.message },
  });
  return refusal;
};

const readOpen = (item: Item | undefined): readonly OpenQuestion[] => (item ? read(item, OpenQuestionsItem).open : []);

const idOfToken = (token: string): string => token.slice(0, token.indexOf('.'));

const digestOfArguments = ({ args }: Call): string => sha256(canonicalJson(args));

const writeQuestion = (call: Call): string =>
  sha256([call.record.spec.name, call.record.digest, digestOfArguments(call)].join('\n'));

const used = (call: Call, by: string, id: string): AuditEntry => ({
  action: 'confirmation-used',
  by: call.actor.keyId,
  tool: call.record.spec.name,
  about: { call_id: call.id, confirmation: id, approved_by: by },
});

const confirmationRequired = (asked: Confirmation, token: string, message: string): Fault =>
  new Fault(
    'ConfirmationRequired',
    `${message}: have the confirmation ${asked.id} approved until ${asked.expires_at} (in the console, by "assay confirmations approve ${asked.id}", or by POST /v1/confirmations), then make the same call again`,
    {
      tool: asked.tool,
      version: asked.version,
      arguments_sha256: asked.arguments_sha256,
      confirmation: { token, expires_at: asked.expires_at, id: asked.id },
    },
  );

const unknownToken = ({ record }: Call): Fault =>
  new Fault('Forbidden', 'this confirmation is unknown, altered or expired; call again without it to ask again', {
    tool: record.spec.name,
  });
