import { BEAT_HEADER } from '../../shared/registry/published.ts';
import type { App } from './env.ts';
import { createGuessLimit, type GuessLimit, VIEWER_HEADER } from './guess-limit.ts';
import { PlainRequest } from './lambda/plain-request.ts';
import { ORIGIN_HEADER, type OriginGuard } from './origin-guard.ts';

interface Bindings {
  readonly context?: { readonly awsRequestId: string };
}

type Fetch = (request: Request, env?: Bindings) => Response | Promise<Response>;

const HOST = /^[a-z0-9.-]{1,253}$/;

interface Origin {
  readonly guard: OriginGuard;
  /** Renews the time up to which everything is published to the edge. */
  readonly beat?: () => Promise<void>;
  readonly guesses?: GuessLimit;
}

/** The app as CloudFront's origin: it refuses requests that bypass CloudFront, and uses the viewer's address. */
export const behindCloudFront = (
  app: Pick<App, 'fetch'>,
  { guard, beat, guesses = createGuessLimit({ now: Date.now }) }: Origin,
): { readonly fetch: Fetch } => ({
  async fetch(request, env = {}) {
    const requestId = env.context?.awsRequestId ?? '';
    const admitted = guard(request.headers.get(ORIGIN_HEADER) ?? undefined);
    if (!(admitted instanceof Promise ? await admitted : admitted)) return refusal(requestId);
    const viewer = request.headers.get(VIEWER_HEADER) ?? '';
    const wait = guesses.waitOf(viewer);
    if (wait > 0) return slowDown(requestId, wait);
    const beaten = request.headers.has(BEAT_HEADER) ? beat?.() : undefined;
    const response = await app.fetch(atViewersHost(request), env);
    await beaten;
    if (response.status === 401) guesses.refused(viewer);
    return response;
  },
});

/** CloudFront must send the function URL's own Host; the viewer's is in another header. */
const atViewersHost = (request: Request): Request => {
  const host = request.headers.get('x-forwarded-host');
  if (host === null || !HOST.test(host)) return request;
  const url = new URL(request.url);
  url.host = host;
  return PlainRequest.at(request, url);
};

const refusal = (requestId: string): Response =>
  answer(403, 'Forbidden', 'this is not the public address; ask whoever runs this service for it', {}, requestId);

const slowDown = (requestId: string, wait: number): Response => {
  const message = `too many refused keys came from this address; try again in ${wait} s with one that is in force`;
  const response = answer(429, 'RateLimited', message, { retry_after_seconds: wait }, requestId);
  response.headers.set('retry-after', String(wait));
  return response;
};

const answer = (status: number, code: string, message: string, details: object, request_id: string): Response =>
  Response.json({ error: { code, message, details, request_id } }, { status });
