import * as z from 'zod';
import { Fault } from '../../shared/kernel/errors.ts';
import { Lease, secondsLeft } from '../../shared/kernel/lease.ts';
import type { Item } from '../../shared/kernel/ports.ts';
import { isUnreadable, read, stored } from '../../shared/kernel/stored.ts';

/** The answer to a request that asks to be answered the same when it is repeated. */
const KeptAnswer = z.object({
  /** `ended` has no answer to repeat: it may go better the second time, or was too large to keep. */
  state: z.enum(['pending', 'ended', 'done']),
  request: z.string(),
  /** In version 1 the digest of the request took in the host it came through. */
  with_host: z.boolean().optional(),
  /** The one call of this key, however often it is tried. */
  call_id: z.string().optional(),
  lease: Lease.optional(),
  status: z.int().optional(),
  body: z.string().optional(),
  type: z.string().optional(),
  /** What was made, where the answer itself holds a secret and is not kept. */
  made: z.string().optional(),
});
export type KeptAnswer = Readonly<z.infer<typeof KeptAnswer>>;

export const AnswerItem = stored<KeptAnswer>({
  what: 'kept answer',
  version: 2,
  schema: KeptAnswer,
  upgrades: { 1: (content) => ({ ...content, with_host: true }) },
});

/** Whoever sent the key can act: with another one the request is made. */
export const keptAnswer = (item: Item): KeptAnswer => {
  try {
    return read(item, AnswerItem);
  } catch (thrown) {
    if (!isUnreadable(thrown)) throw thrown;
    throw new Fault('Conflict', 'the answer kept for this Idempotency-Key cannot be read; use a new one', {
      field: 'Idempotency-Key',
    });
  }
};

/** The first answer again. */
export const replay = ({ status = 200, body = '', type, made }: KeptAnswer): Response => {
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

/** The refusal of a repeat while the first request runs, with the time until it may be taken over. */
export const stillRunning = (lease: Lease | undefined, now: number): Fault => {
  const seconds = lease === undefined ? 1 : secondsLeft(lease, now);
  return new Fault(
    'Conflict',
    'the first request with this Idempotency-Key is still running; ask again in a moment; ' +
      `should its process have died, it is taken over in ${seconds} s`,
    { retry_after_seconds: 1, taken_over_in_seconds: seconds },
  );
};
