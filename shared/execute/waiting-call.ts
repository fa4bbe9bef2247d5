import * as z from 'zod';
import { principalOf } from '../access/token-actor.ts';
import { Fault } from '../kernel/errors.ts';
import { waitingCallKey } from '../kernel/item-keys.ts';
import { acquireLease, Lease, releaseLease } from '../kernel/lease.ts';
import { changeWhileHeld, keepLease, type LeaseContext, type LeasedItem, newOwner } from '../kernel/leased-item.ts';
import type { Key, Table } from '../kernel/ports.ts';
import { put, read, stored } from '../kernel/stored.ts';
import type { Invocation } from '../model/call.ts';
import type { Actor } from '../model/key.ts';
import { readAskedArguments, writeArguments } from './asked-arguments.ts';
import type { OnceOnly } from './call.ts';
import { ConfirmationItem, keyOfToken } from './confirmation-item.ts';

/** A call that waits for consent while its caller polls its state. */
const WaitingCall = z.object({
  /** The confirmation it waits for. */
  id: z.string(),
  token: z.string(),
  /** The caller; nobody else sees the call. */
  key: z.string(),
  /** Fixed before it runs, so that it is charged once. */
  call_id: z.string(),
  tool: z.string(),
  version: z.string(),
  max_micros: z.int().optional(),
  created_at: z.iso.datetime(),
  expires_at: z.iso.datetime(),
  /** The lease of the process that runs it; if that process dies, the call is not run again. */
  lease: Lease.optional(),
  /** The answer to its caller, once it has ended. */
  end: z.object({ answer: z.unknown(), at: z.iso.datetime(), is_cancelled: z.boolean().optional() }).optional(),
});
export type WaitingCall = Readonly<z.infer<typeof WaitingCall>>;

export const WaitingCallItem = stored<WaitingCall>({ what: 'call that waits for consent', schema: WaitingCall });

export interface WaitingContext extends LeaseContext {
  readonly random: (bytes: number) => Uint8Array;
  readonly clock: LeaseContext['clock'] & { newId(): string };
}

/** How long the answer is kept after the end. */
const RETENTION_MS = 3_600_000;

interface Asked {
  readonly invocation: Pick<Invocation, 'name' | 'arguments'>;
  readonly version: string;
  readonly maxMicros: number | undefined;
  /** As in the refusal. */
  readonly confirmation: { readonly id: string; readonly token: string; readonly expires_at: string };
}

/** Stores a call that was refused because it needs consent; repeating the question finds the same call. */
export const storeWaitingCall = async (
  { table, clock }: Pick<WaitingContext, 'table' | 'clock'>,
  actor: Actor,
  { invocation, version, maxMicros, confirmation }: Asked,
): Promise<WaitingCall> => {
  const { tenant } = actor;
  const { id, token, expires_at } = confirmation;
  const expires = Math.ceil((Date.parse(expires_at) + RETENTION_MS) / 1000);
  const key = waitingCallKey(tenant, id);
  const waiting: WaitingCall = {
    id,
    token,
    key: principalOf(actor),
    call_id: clock.newId(),
    tool: invocation.name,
    version,
    max_micros: maxMicros,
    created_at: new Date(clock.now()).toISOString(),
    expires_at,
  };
  // The same items as those of the confirmation, which stores them only when a list would hide something.
  await table.write(writeArguments(tenant, id, invocation.arguments ?? {}, expires));
  return table.change([key], ([item]) => {
    if (item) return { writes: [], result: read(item, WaitingCallItem) };
    return { writes: [put(key, WaitingCallItem, waiting, expires)], result: waiting };
  });
};

/** Stores a call that has already ended, for a caller who fetches its answer later. */
export const storeEndedCall = async (
  { table, clock }: Pick<WaitingContext, 'table' | 'clock'>,
  actor: Actor,
  { tool, answer }: { readonly tool: string; readonly answer: unknown },
): Promise<WaitingCall> => {
  const now = clock.now();
  const at = new Date(now).toISOString();
  const id = clock.newId();
  const about = { id, token: '', key: principalOf(actor), call_id: id, tool, version: '' };
  const ended: WaitingCall = { ...about, created_at: at, expires_at: at, end: { answer, at } };
  const expires = Math.ceil((now + RETENTION_MS) / 1000);
  await table.write([put(waitingCallKey(actor.tenant, id), WaitingCallItem, ended, expires)]);
  return ended;
};

/** A call of this caller; other callers' calls are not found. */
export const findWaitingCall = async (table: Table, actor: Actor, id: string): Promise<WaitingCall | undefined> => {
  const item = await table.get(waitingCallKey(actor.tenant, id));
  const found = item && read(item, WaitingCallItem);
  return found?.key === principalOf(actor) ? found : undefined;
};

/** Runs the call as it was made. Its answer is stored, even when it is a refusal. */
export type RunWaiting = (invocation: Invocation, once: OnceOnly, call: WaitingCall) => Promise<unknown>;

/**
 * Advances a call: does nothing while it is undecided or another process runs it; runs or ends it once it is decided. A
 * person consented to one run, so a call whose process died ends as interrupted.
 */
export const advanceWaitingCall = async (
  context: WaitingContext,
  actor: Actor,
  call: WaitingCall,
  run: RunWaiting,
): Promise<WaitingCall> => {
  if (call.end || (call.lease === undefined && (await isUndecided(context, actor.tenant, call)))) return call;
  const item: LeasedItem<WaitingCall> = { key: waitingCallKey(actor.tenant, call.id), kind: WaitingCallItem };
  const taken = await take(context, item.key);
  if (!taken) return (await findWaitingCall(context.table, actor, call.id)) ?? call;
  const { lease, earlier } = taken;
  const heartbeat = keepLease(context, item, lease);
  try {
    const { tool: name, version, token } = call;
    const args = await readAskedArguments(context.table, actor.tenant, call.id);
    const invocation = { name, version, arguments: args as Invocation['arguments'], confirmation: token };
    const answer = await run(invocation, { id: call.call_id, earlier, isLost: heartbeat.isLost }, call);
    return await endCall(context, item, lease, answer);
  } finally {
    heartbeat.stop();
  }
};

/** Cancels a call that is not running yet. */
export const cancelWaitingCall = (
  { table, clock }: Pick<WaitingContext, 'table' | 'clock'>,
  tenant: string,
  { id }: WaitingCall,
): Promise<void> => {
  const key = waitingCallKey(tenant, id);
  return table.change<void>([key], ([item]) => {
    const found = item && read(item, WaitingCallItem);
    if (!found || found.end || found.lease) return { writes: [], result: undefined };
    const end = { answer: null, at: new Date(clock.now()).toISOString(), is_cancelled: true };
    return { writes: [put(key, WaitingCallItem, { ...found, end }, item.expires)], result: undefined };
  });
};

const isUndecided = async (
  { table, clock }: Pick<WaitingContext, 'table' | 'clock'>,
  tenant: string,
  { token }: WaitingCall,
): Promise<boolean> => {
  const item = await table.get(keyOfToken(tenant, token));
  const found = item && read(item, ConfirmationItem);
  return found?.state === 'pending' && clock.now() < Date.parse(found.expires_at);
};

const take = ({ table, clock, random }: WaitingContext, key: Key) => {
  const owner = newOwner(random);
  return table.change<{ lease: Lease; earlier: OnceOnly['earlier'] } | undefined>([key], ([item]) => {
    const found = item && read(item, WaitingCallItem);
    const lease = found && !found.end ? acquireLease(found.lease, owner, clock.now()) : undefined;
    if (!found || !lease) return { writes: [], result: undefined };
    const earlier = found.lease === undefined ? undefined : ('cut off' as const);
    return { writes: [put(key, WaitingCallItem, { ...found, lease }, item.expires)], result: { lease, earlier } };
  });
};

const endCall = async (
  context: WaitingContext,
  item: LeasedItem<WaitingCall>,
  lease: Lease,
  answer: unknown,
): Promise<WaitingCall> => {
  const end = { answer, at: new Date(context.clock.now()).toISOString() };
  let ended: WaitingCall | undefined;
  await changeWhileHeld(context, item, lease, (before, expires) => {
    ended = { ...before, end, lease: releaseLease(lease) };
    return [put(item.key, WaitingCallItem, ended, expires)];
  });
  if (ended) return ended;
  throw new Fault(
    'Conflict',
    'the call was interrupted for too long and has been taken over by another process; ask again',
  );
};
