import type { Answer } from '../../shared/registry/entry.ts';
import type { ApiContext } from './env.ts';

/**
 * Answers are plain Responses with plain headers: what Hono's context makes of several headers costs more
 * than finding the tool does. They carry the request id themselves.
 */
const headersOf = (c: ApiContext): Record<string, string> => {
  c.set('identified', true);
  return { 'x-request-id': c.get('requestId'), 'content-type': 'application/json' };
};

/** Answers a text made before, or 304 when the caller has it already. */
export const answer = (c: ApiContext, { body, etag }: Answer): Response => {
  const headers = { ...headersOf(c), etag, 'cache-control': 'private, no-cache' };
  if (c.req.header('if-none-match') === etag) return new Response(null, { status: 304, headers });
  return new Response(body, { headers });
};

/** Answers a value as JSON. */
export const answerJson = (c: ApiContext, value: unknown, status = 200): Response =>
  new Response(JSON.stringify(value), { status, headers: headersOf(c) });
