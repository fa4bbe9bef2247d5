import * as z from 'zod';
import { Fault } from '../../shared/kernel/errors.ts';
import { Lease, secondsLeft } from '../../shared/kernel/lease.ts';
import type { Item } from '../../shared/kernel/ports.ts';
import { isUnreadable, read, stored } from '../../shared/kernel/stored.ts';

/** The stored answer to a request with an Idempotency-Key. */
const StoredAnswer = z.object({
  /** `ended` has no answer to repeat: a retry may go better, or the answer was too large to store. */
  state: z.enum(['pending', 'ended', 'done']),
  request: z.string(),
  /** Set in version 1, where the digest of the request included the host. */
  with_host: z.boolean().optional(),
  /** The id of this key's only call, however often it is tried. */
  call_id: z.string().optional(),
  lease: Lease.optional(),
  status: z.int().optional(),
  body: z.string().optional(),
  type: z.string().optional(),
  /** The id of what was created, where the answer contains a secret and is not stored. */
  made: z.string().optional(),
});
export type StoredAnswer = Readonly<z.infer<typeof StoredAnswer>>;

export const AnswerItem = stored<StoredAnswer>({
  what: 'kept answer',
  version: 2,
  schema: StoredAnswer,
  upgrades: { 1: (content) => ({ ...content, with_host: true }) },
});

/** A caller can resolve this itself, by sending the request with another key. */
export const readStoredAnswer = (item: Item): StoredAnswer => {
  try {
    return read(item, AnswerItem);
  } catch (thrown) {
    if (!isUnreadable(thrown)) throw thrown;
    throw new Fault('Conflict', 'the answer kept for this Idempotency-Key cannot be read; use a new one', {
      field: 'Idempotency-Key',
    });
  }
};

/** Sends the first answer again. */
export const replay = ({ status = 200, body = '', type, made }: StoredAnswer): Response => {
  if (made !== undefined)
    throw new Fault(
      'Conflict',
      `the first request with this Idempotency-Key made ${made}; its secret was shown once and is not kept: revoke it, and use a new Idempotency-Key`,
      { id: made },
    );
  const headers: Record<string, string> = { 'idempotent-replay': 'true' };
  if (type) headers['content-type'] = type;
  return new Response(status === 204 ? null : body, { status, headers });
};

export const otherRequest = (): Fault =>
  new Fault('Conflict', 'this Idempotency-Key was used with another request; use a new one', {
    field: 'Idempotency-Key',
  });

/** The refusal of a repeat while the first request runs, with the time until a repeat may take over. */
export const stillRunning = (lease: Lease | undefined, now: number): Fault => {
  const seconds = lease === undefined ? 1 : secondsLeft(lease, now);
  return new Fault(
    'Conflict',
    'the first request with this Idempotency-Key is still running; ask again in a moment; ' +
      `should its process have died, it is taken over in ${seconds} s`,
    { retry_after_seconds: 1, taken_over_in_seconds: seconds },
  );
};
