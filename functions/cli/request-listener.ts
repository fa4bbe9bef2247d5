import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { partsOf, type WholeResponse } from '../api/whole-response.ts';
import { type Answer, type Exchange, LightRequest } from './light-request.ts';

export type Serve = (request: Request, exchange: Exchange) => Answer;

/**
 * Serves requests of Node. A GET that is answered at once by a whole response is written here, which saves some
 * CPU time of every lookup; bodies, streams, later answers and unusual addresses are left to `@hono/node-server`.
 */
export const requestListener = (serve: Serve, errorHandler: (thrown: unknown) => Response): RequestListener => {
  const begun = new WeakMap<IncomingMessage, LightRequest>();
  const listener = getRequestListener(
    (request, exchange) =>
      begun.get((exchange as Exchange).incoming)?.takeOver(request) ?? serve(request, exchange as Exchange),
    { errorHandler },
  );
  const handOver = (request: LightRequest): void => {
    const { incoming, outgoing } = request.exchange;
    begun.set(incoming, request);
    void listener(incoming, outgoing);
  };
  return (incoming, outgoing) => {
    const url = plainAddress(incoming);
    if (url === undefined) return void listener(incoming, outgoing);
    const light = new LightRequest(url, { incoming, outgoing }, handOver);
    const answer = attempt(serve, light as unknown as Request, light.exchange);
    const parts = answer instanceof Promise || !light.takesWhole ? undefined : partsOf(answer);
    if (parts === undefined) return light.answerWith(answer);
    try {
      write(outgoing, parts);
    } catch (thrown) {
      // The status or a header cannot be sent. The phrase of that status is not of the next one.
      outgoing.statusMessage = '';
      light.answerWith(Promise.reject(thrown));
    }
  };
};

const HOST = /^[a-z0-9._-]+(?::(?:[1-5]\d{3,4}|[6-9]\d{3}))?$/;
const TARGET = /^\/[\w!$&()*+,;=:@/?.~-]*$/;
const DOTS = /\/\.\.?(?:[/?]|$)/;

/** The URL where it is simply the host and the target; undefined where it must be parsed. */
const plainAddress = ({ headers: { host = '' }, url = '' }: IncomingMessage): string | undefined =>
  HOST.test(host) && TARGET.test(url) && !(url.includes('/.') && DOTS.test(url)) ? `http://${host}${url}` : undefined;

const attempt = (serve: Serve, request: Request, exchange: Exchange): Answer => {
  try {
    return serve(request, exchange);
  } catch (thrown) {
    return Promise.reject(thrown);
  }
};

const write = (outgoing: ServerResponse, { status, body, headers }: WholeResponse): void => {
  const head: string[] = [];
  for (const name in headers) head.push(name, headers[name] ?? '');
  if (body !== null) head.push('content-length', String(Buffer.byteLength(body)));
  outgoing.writeHead(status, head);
  outgoing.end(body ?? undefined);
};
