import * as z from 'zod';
import type { Assay } from '../../shared/assay.ts';
import { sha256 } from '../../shared/kernel/canonical-json.ts';
import { Fault } from '../../shared/kernel/errors.ts';
import { onceKey } from '../../shared/kernel/item-keys.ts';
import type { Item } from '../../shared/kernel/ports.ts';
import { isUnreadable, put, read, stored } from '../../shared/kernel/stored.ts';
import { readBytes } from './body-bytes.ts';
import type { ApiContext } from './env.ts';

const KEPT_SECONDS = 86_400;
const PENDING_SECONDS = 300;
const MAX_STORED_BYTES = 300_000;

/** The answer to a request that asks to be answered the same when it is repeated. */
const KeptAnswer = z.object({
  state: z.enum(['pending', 'done']),
  request: z.string(),
  status: z.int().optional(),
  body: z.string().optional(),
  type: z.string().optional(),
  /** What was made, where the answer itself holds a secret and is not kept. */
  made: z.string().optional(),
});
type KeptAnswer = Readonly<z.infer<typeof KeptAnswer>>;

export const AnswerItem = stored<KeptAnswer>({ what: 'kept answer', schema: KeptAnswer });

/** Whether a write asks to be answered as before when it is repeated. */
export const isRepeatable = (c: ApiContext): boolean =>
  c.req.method !== 'GET' && c.req.method !== 'HEAD' && c.req.header('idempotency-key') !== undefined;

/** Answers a repeated `Idempotency-Key` with the first answer, and does nothing twice. */
export const answerOnce = async (
  { table, clock }: Pick<Assay, 'table' | 'clock'>,
  c: ApiContext,
  /** Answers refusals too: they are kept like any other answer. */
  handle: (c: ApiContext) => Promise<Response>,
  /** Whether what is answered is a secret, shown once and kept nowhere. */
  isSecret = false,
): Promise<Response> => {
  const given = c.req.header('idempotency-key') ?? '';
  if (given === '' || given.length > 255)
    throw new Fault('InvalidInput', 'Idempotency-Key must have 1 to 255 characters', { field: 'Idempotency-Key' });
  const { tenant, keyId } = c.get('actor');
  const key = onceKey(tenant, sha256(`${keyId}\n${given}`));
  const request = await digestOfRequest(c);
  const seconds = Math.floor(clock.now() / 1000);
  const known = await table.change([key], ([item]) => {
    if (item) return { writes: [], result: keptAnswer(item) };
    const pending: KeptAnswer = { state: 'pending', request };
    return { writes: [put(key, AnswerItem, pending, seconds + PENDING_SECONDS)], result: undefined };
  });
  if (known) return replay(known, request);
  const response = await handle(c);
  const body = await response.clone().text();
  const { status } = response;
  // What may go better the second time is not kept.
  if (status >= 500 || status === 429 || Buffer.byteLength(body) > MAX_STORED_BYTES)
    await table.write([{ remove: key }]);
  else {
    const type = response.headers.get('content-type') ?? '';
    const kept = isSecret && status < 300 ? { made: String(JSON.parse(body).id) } : { body, type };
    await table.write([put(key, AnswerItem, { state: 'done', request, status, ...kept }, seconds + KEPT_SECONDS)]);
  }
  return response;
};

const digestOfRequest = async (c: ApiContext): Promise<string> =>
  sha256(Buffer.concat([Buffer.from(`${c.req.method}\n${c.req.url}\n`), await readBytes(c)]));

/** Whoever sent the key can act: with another one the request is made. */
const keptAnswer = (item: Item): KeptAnswer => {
  try {
    return read(item, AnswerItem);
  } catch (thrown) {
    if (!isUnreadable(thrown)) throw thrown;
    throw new Fault('Conflict', 'the answer kept for this Idempotency-Key cannot be read; use a new one', {
      field: 'Idempotency-Key',
    });
  }
};

const replay = (known: KeptAnswer, request: string): Response => {
  if (known.request !== request)
    throw new Fault('Conflict', 'this Idempotency-Key was used with another request; use a new one', {
      field: 'Idempotency-Key',
    });
  if (known.state === 'pending')
    throw new Fault('Conflict', 'the first request with this Idempotency-Key is still running; ask again in a moment', {
      retry_after_seconds: 1,
    });
  if (known.made !== undefined)
    throw new Fault(
      'Conflict',
      `the first request with this Idempotency-Key made ${known.made}; its secret was shown once and is not kept: revoke it, and use a new Idempotency-Key`,
      { id: known.made },
    );
  const headers = { 'idempotent-replay': 'true', ...(known.type ? { 'content-type': known.type } : {}) };
  const status = known.status ?? 200;
  return new Response(status === 204 ? null : (known.body ?? ''), { status, headers });
};
