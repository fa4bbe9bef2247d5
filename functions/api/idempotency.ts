import type { Assay } from '../../shared/assay.ts';
import { sha256 } from '../../shared/kernel/canonical-json.ts';
import { Fault } from '../../shared/kernel/errors.ts';
import { onceKey } from '../../shared/kernel/item-keys.ts';
import { readBytes } from './body-bytes.ts';
import type { ApiContext } from './env.ts';

const KEPT_SECONDS = 86_400;
const PENDING_SECONDS = 300;
const MAX_STORED_BYTES = 300_000;

interface Stored {
  readonly state: 'pending' | 'done';
  readonly request: string;
  readonly status?: number;
  readonly body?: string;
  readonly type?: string;
}

/** Whether a write asks to be answered as before when it is repeated. */
export const isRepeatable = (c: ApiContext): boolean =>
  c.req.method !== 'GET' && c.req.method !== 'HEAD' && c.req.header('idempotency-key') !== undefined;

/** Answers a repeated `Idempotency-Key` with the first answer, and does nothing twice. */
export const answerOnce = async (
  { table, clock }: Pick<Assay, 'table' | 'clock'>,
  c: ApiContext,
  /** Answers refusals too: they are kept like any other answer. */
  handle: (c: ApiContext) => Promise<Response>,
): Promise<Response> => {
  const given = c.req.header('idempotency-key') ?? '';
  if (given === '' || given.length > 255)
    throw new Fault('InvalidInput', 'Idempotency-Key must have 1 to 255 characters', { field: 'Idempotency-Key' });
  const { tenant, keyId } = c.get('actor');
  const key = onceKey(tenant, sha256(`${keyId}\n${given}`));
  const request = await digestOfRequest(c);
  const seconds = Math.floor(clock.now() / 1000);
  const known = await table.change([key], ([item]) => {
    if (item) return { writes: [], result: item.body as unknown as Stored };
    const pending = { v: 1, state: 'pending', request };
    return { writes: [{ put: key, body: pending, expires: seconds + PENDING_SECONDS }], result: undefined };
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
    const done = { v: 1, state: 'done', request, status, body, type };
    await table.write([{ put: key, body: done, expires: seconds + KEPT_SECONDS }]);
  }
  return response;
};

const digestOfRequest = async (c: ApiContext): Promise<string> =>
  sha256(Buffer.concat([Buffer.from(`${c.req.method}\n${c.req.url}\n`), await readBytes(c)]));

const replay = (known: Stored, request: string): Response => {
  if (known.request !== request)
    throw new Fault('Conflict', 'this Idempotency-Key was used with another request; use a new one', {
      field: 'Idempotency-Key',
    });
  if (known.state === 'pending')
    throw new Fault('Conflict', 'the first request with this Idempotency-Key is still running; ask again in a moment', {
      retry_after_seconds: 1,
    });
  const headers = { 'idempotent-replay': 'true', ...(known.type ? { 'content-type': known.type } : {}) };
  const status = known.status ?? 200;
  return new Response(status === 204 ? null : (known.body ?? ''), { status, headers });
};
