import type { Assay } from '../../shared/assay.ts';
import type { OnceOnly } from '../../shared/execute/call.ts';
import { sha256 } from '../../shared/kernel/canonical-json.ts';
import { Fault } from '../../shared/kernel/errors.ts';
import { onceKey } from '../../shared/kernel/item-keys.ts';
import { acquireLease, type Lease, releaseLease } from '../../shared/kernel/lease.ts';
import { changeWhileHeld, keepLease, newOwner } from '../../shared/kernel/leased-item.ts';
import type { Key } from '../../shared/kernel/ports.ts';
import { put } from '../../shared/kernel/stored.ts';
import type { ApiContext } from './env.ts';
import { digestOfRequest, digestWithHost } from './request-digest.ts';
import { actorOf, headerOf, stateOf } from './request-state.ts';
import {
  AnswerItem,
  otherRequest,
  readStoredAnswer,
  replay,
  type StoredAnswer,
  stillRunning,
} from './stored-answer.ts';

const RETENTION_SECONDS = 86_400;
const MAX_STORED_BYTES = 300_000;

type World = Pick<Assay, 'table' | 'clock' | 'timers' | 'random' | 'log'>;

/** Whether a write asks for idempotency, so that a repeat gets the same answer. */
export const isRepeatable = (c: ApiContext): boolean =>
  c.req.method !== 'GET' && c.req.method !== 'HEAD' && headerOf(c, 'idempotency-key') !== undefined;

/**
 * Answers a repeated `Idempotency-Key` with the first answer, without any second effect. The process that handles the
 * request holds a lease; if it dies, a repeat continues under the same call id.
 */
export const answerOnce = async (
  world: World,
  c: ApiContext,
  /** Must also answer refusals, because they are stored like any other answer. */
  handle: (c: ApiContext) => Promise<Response>,
  /** Whether the answer is a secret, which is shown once and never stored. */
  isSecret = false,
): Promise<Response> => {
  const item = { key: readKey(c), kind: AnswerItem };
  const request = await digestOfRequest(c);
  const begun = await begin(world, item.key, request);
  if ('known' in begun) return answerKnown(world, c, begun.known, request);
  const { lease, once } = begun;
  const heartbeat = keepLease(world, item, lease);
  stateOf(c).once = { ...once, isLost: heartbeat.isLost };
  try {
    const response = await handle(c);
    const answer = heartbeat.isLost() ? undefined : await answerToKeep(response, isSecret);
    // If the lease was lost, the request may have had its effect without a stored answer, so it counts as interrupted.
    const state = answer ? 'done' : heartbeat.isLost() ? 'pending' : 'ended';
    const kept: StoredAnswer = { state, request, call_id: once.id, ...(answer ?? { lease: releaseLease(lease) }) };
    await changeWhileHeld(world, item, lease, (_, expires) => [put(item.key, AnswerItem, kept, expires)]);
    return response;
  } finally {
    heartbeat.stop();
  }
};

const readKey = (c: ApiContext): Key => {
  const given = headerOf(c, 'idempotency-key') ?? '';
  if (given === '' || given.length > 255)
    throw new Fault('InvalidInput', 'Idempotency-Key must have 1 to 255 characters', { field: 'Idempotency-Key' });
  const { tenant, keyId } = actorOf(c);
  return onceKey(tenant, sha256(`${keyId}\n${given}`));
};

type Begun = { readonly known: StoredAnswer } | { readonly lease: Lease; readonly once: OnceOnly };

/** Reserves the key with the id of its call before anything runs; otherwise returns what is stored for it. */
const begin = ({ table, clock, random }: World, key: Key, request: string): Promise<Begun> => {
  const owner = newOwner(random);
  const newId = clock.newId();
  return table.change<Begun>([key], ([item]) => {
    const now = clock.now();
    const known = item && readStoredAnswer(item);
    const isOurs = known === undefined || (known.request === request && known.call_id !== undefined);
    const lease = isOurs && known?.state !== 'done' ? acquireLease(known?.lease, owner, now) : undefined;
    if (lease === undefined) return { writes: [], result: { known: known as StoredAnswer } };
    const id = known?.call_id ?? newId;
    const earlier = known && (known.state === 'ended' ? 'ended' : 'cut off');
    // The key is valid for a day after its first use, however often it is tried.
    const expires = item?.expires ?? Math.floor(now / 1000) + RETENTION_SECONDS;
    const writes = [put(key, AnswerItem, { state: 'pending', request, call_id: id, lease }, expires)];
    return { writes, result: { lease, once: { id, earlier } } };
  });
};

const answerKnown = async (
  { clock }: World,
  c: ApiContext,
  known: StoredAnswer,
  request: string,
): Promise<Response> => {
  if (known.request !== (known.with_host ? await digestWithHost(c) : request)) throw otherRequest();
  if (known.state !== 'done') throw stillRunning(known.lease, clock.now());
  return replay(known);
};

/**
 * Refusals without any effect, after which the same request may succeed: the quota may be raised, a grant given, the
 * rate go down, or a lapsed call be retried.
 */
const MAY_PASS_LATER: readonly number[] = [402, 403, 409, 429];

/** What to store of a response; nothing if a retry may go better. */
const answerToKeep = async (
  response: Response,
  isSecret: boolean,
): Promise<Pick<StoredAnswer, 'status' | 'body' | 'type' | 'made'> | undefined> => {
  const { status, headers } = response;
  if (status >= 500 || MAY_PASS_LATER.includes(status)) return undefined;
  const body = await response.clone().text();
  if (isSecret && status < 300) return { status, made: String(JSON.parse(body).id) };
  return Buffer.byteLength(body) > MAX_STORED_BYTES
    ? undefined
    : { status, body, type: headers.get('content-type') ?? '' };
};
