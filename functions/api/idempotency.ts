import type { MiddlewareHandler } from 'hono';
import type { Assay } from '../../shared/assay.ts';
import { sha256 } from '../../shared/kernel/canonical-json.ts';
import { Fault } from '../../shared/kernel/errors.ts';
import { onceKey } from '../../shared/kernel/item-keys.ts';
import type { ApiContext, Env } from './env.ts';

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

/** Whether a request does not ask to be answered as before when it is repeated. */
export const isOnce = (c: ApiContext): boolean => c.req.header('idempotency-key') === undefined;

/** Answers a repeated `Idempotency-Key` with the first answer, and does nothing twice. */
export const replayAnswers = ({ table, clock }: Assay): MiddlewareHandler<Env> =>
  async function replayAnswers(c, next) {
    const given = c.req.header('idempotency-key');
    if (given === undefined) return next();
    if (given === '' || given.length > 255)
      throw new Fault('InvalidInput', 'Idempotency-Key must have 1 to 255 characters', { field: 'Idempotency-Key' });
    const key = onceKey(c.var.tenant, sha256(`${c.var.actor.keyId}\n${given}`));
    const request = sha256(`${c.req.method}\n${c.req.url}\n${await c.req.text()}`);
    const seconds = Math.floor(clock.now() / 1000);
    const known = await table.change([key], ([item]) => {
      if (item) return { writes: [], result: item.body as unknown as Stored };
      const pending = { v: 1, state: 'pending', request };
      return { writes: [{ put: key, body: pending, expires: seconds + PENDING_SECONDS }], result: undefined };
    });
    if (known) return replay(c, known, request);
    await next();
    const { status } = c.res;
    const body = await c.res.clone().text();
    // What may go better the second time is not kept.
    if (status >= 500 || status === 429 || Buffer.byteLength(body) > MAX_STORED_BYTES)
      return table.write([{ remove: key }]);
    const done = { v: 1, state: 'done', request, status, body, type: c.res.headers.get('content-type') ?? '' };
    return table.write([{ put: key, body: done, expires: seconds + KEPT_SECONDS }]);
  };

const replay = (_c: ApiContext, known: Stored, request: string): Response => {
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
