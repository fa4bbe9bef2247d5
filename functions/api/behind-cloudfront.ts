import type { LambdaContext } from 'hono/aws-lambda';
import type { App } from './env.ts';
import { ORIGIN_HEADER, type OriginGuard } from './origin-guard.ts';

interface Bindings {
  readonly context?: Pick<LambdaContext, 'awsRequestId'>;
}

type Fetch = (request: Request, env?: Bindings) => Response | Promise<Response>;

const HOST = /^[a-z0-9.-]{1,253}$/;

/** The app as CloudFront's origin: refuses who comes another way, and sees the address that the viewer asked for. */
export const behindCloudFront = (app: Pick<App, 'fetch'>, guard: OriginGuard): { readonly fetch: Fetch } => ({
  async fetch(request, env = {}) {
    const admitted = guard(request.headers.get(ORIGIN_HEADER) ?? undefined);
    if (!(admitted instanceof Promise ? await admitted : admitted)) return refusal(env.context?.awsRequestId ?? '');
    return app.fetch(atViewersHost(request), env);
  },
});

/** CloudFront must send the function URL's own Host; what the viewer typed comes beside it. */
const atViewersHost = (request: Request): Request => {
  const host = request.headers.get('x-forwarded-host');
  if (host === null || !HOST.test(host)) return request;
  const url = new URL(request.url);
  url.host = host;
  return new Request(url, request);
};

const refusal = (requestId: string): Response =>
  Response.json(
    {
      error: {
        code: 'Forbidden',
        message: 'this is not the public address; ask whoever runs this service for it',
        details: {},
        request_id: requestId,
      },
    },
    { status: 403 },
  );
