import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener, RequestError } from '@hono/node-server';
import { Hono } from 'hono';
import { errorAnswer } from '../../shared/kernel/error-answer.ts';
import { Fault, messageOf } from '../../shared/kernel/errors.ts';
import type { App } from '../api/env.ts';
import type { Exchange } from './light-request.ts';
import { oneAtATime } from './one-at-a-time.ts';
import { requestListener, type Serve } from './request-listener.ts';
import { cutSlowReaders } from './slow-readers.ts';

export interface Listening {
  readonly address: string;
  /** Closes idle connections and returns how many requests are in progress. */
  open(): Promise<number>;
  /** Takes no more requests and waits until all are handled; those that take long are cut off. */
  close(): Promise<void>;
}

type FetchCallback = Parameters<typeof getRequestListener>[0];

const DRAIN_MS = 5000;
/** What handling a request may take after its connection is cut. */
const CUT_OFF_MS = 2000;
/**
 * Longer than the minute for which proxies keep idle connections: if the server closed first, it could drop a request
 * that is on its way. With Node's five seconds a busy moment is enough for that.
 */
const KEEP_ALIVE_MS = 65_000;

/** Serves the app on a port; 0 picks a free one. */
export const listen = async (app: Pick<App, 'fetch'>, host: string, port: number): Promise<Listening> => {
  const handling = countHandling();
  const serve = handling.counted(app.fetch as unknown as Serve);
  const checked: Serve = (request, exchange) => refuseForeignHost(request, exchange, host) ?? serve(request, exchange);
  // Only our own app is known to read no more of a light request than that has.
  const listener =
    app instanceof Hono
      ? requestListener(checked, refuseUnreadable)
      : getRequestListener(checked as FetchCallback, { errorHandler: refuseUnreadable });
  // Node would keep the first of two keys or hosts, where a proxy may have checked the last: joined, they are invalid.
  // Without the second option each request without a body is a stream to its end, for nobody.
  const server = createServer({ joinDuplicateHeaders: true, optimizeEmptyRequests: true }, oneAtATime(listener));
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  cutSlowReaders(server);
  server.listen(port, host);
  await once(server, 'listening').catch((cause: unknown) => {
    const why = (cause as NodeJS.ErrnoException).code === 'EADDRINUSE' ? 'another program uses it' : messageOf(cause);
    throw new Fault(
      'Unavailable',
      `cannot listen on ${host}:${port}: ${why}; choose another with --port`,
      {},
      { cause },
    );
  });
  const { port: taken } = server.address() as AddressInfo;
  return {
    address: `http://${host.includes(':') ? `[${host}]` : host}:${taken}`,
    open() {
      server.closeIdleConnections();
      return new Promise((done) => server.getConnections((_, count) => done(count)));
    },
    async close() {
      await drain(server);
      await handling.over(CUT_OFF_MS);
    },
  };
};

/** Counts the requests that are being handled: a caller may leave, and its request is handled on. */
const countHandling = () => {
  let count = 0;
  let onNone = (): void => {};
  const ended = (): void => {
    if (--count === 0) onNone();
  };
  return {
    counted:
      (serve: Serve): Serve =>
      (request, env) => {
        const answer = serve(request, env);
        if (answer instanceof Promise) {
          count++;
          answer.then(ended, ended);
        }
        return answer;
      },
    over: (most: number): Promise<void> =>
      new Promise((resolve) => {
        if (count === 0) return resolve();
        const timer = setTimeout(resolve, most);
        onNone = () => {
          clearTimeout(timer);
          resolve();
        };
      }),
  };
};

const LOCAL: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * A request over the loopback must have this machine as its Host: with DNS rebinding a web page could point its own
 * name here and read what this machine's user may see.
 */
const refuseForeignHost = ({ url }: Request, { incoming }: Exchange, bound: string): Response | undefined => {
  // A request line may contain a host of its own, which then counts (RFC 9112, 3.2.2).
  const host = incoming.url?.startsWith('/') ? incoming.headers.host : new URL(url).host;
  const name = (host ?? '').replace(/:\d+$/, '').toLowerCase();
  if (
    name === '' ||
    LOCAL.has(name) ||
    name === bound ||
    !/^(::1$|(::ffff:)?127\.)/.test(incoming.socket.localAddress ?? '')
  )
    return undefined;
  const message = `the host ${JSON.stringify(name.slice(0, 80))} is not this server; ask for localhost`;
  return refuse(new Fault('Forbidden', message, { field: 'host' }));
};

/** Requests whose address the app cannot read; it answers all other errors itself. */
const refuseUnreadable = (thrown: unknown): Response => {
  if (!(thrown instanceof RequestError))
    return refuse(new Fault('Internal', 'something went wrong on our side; try again'));
  const message = `the address of the request cannot be read (${thrown.message}); send a path and one Host`;
  return refuse(new Fault('InvalidInput', message));
};

const refuse = (fault: Fault): Response => {
  const { status, body, headers } = errorAnswer(fault, '');
  return new Response(body, { status, headers });
};

// close() waits for open streams forever, so they are closed after a while.
const drain = async (server: Server): Promise<void> => {
  const closed = once(server, 'close');
  // Otherwise callers with a keep-alive connection would send more requests on it.
  server.prependListener('request', (_, response) => response.setHeader('connection', 'close'));
  server.close();
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
  await closed;
  clearTimeout(timer);
};
