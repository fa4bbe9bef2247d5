import { once } from 'node:events';
import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { errorAnswer } from '../../shared/kernel/error-answer.ts';
import { Fault, messageOf } from '../../shared/kernel/errors.ts';
import type { App } from '../api/env.ts';
import { cutSlowReaders } from './slow-readers.ts';

export interface Listening {
  readonly address: string;
  /** Closes idle connections and returns how many requests are in progress. */
  open(): Promise<number>;
  close(): Promise<void>;
}

const DRAIN_MS = 5000;
/**
 * Longer than the minute for which proxies keep idle connections: if the server closed first, it could drop a request
 * that is on its way. With Node's five seconds a busy moment is enough for that.
 */
const KEEP_ALIVE_MS = 65_000;

/** Serves the app on a port; 0 picks a free one. */
export const listen = async (app: Pick<App, 'fetch'>, host: string, port: number): Promise<Listening> => {
  const serve = app.fetch as (request: Request, env: Incoming) => Response | Promise<Response>;
  const server = createAdaptorServer({
    fetch: (request, env) => refuseForeignHost(env as Incoming, host) ?? serve(request, env as Incoming),
  }) as Server;
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
    close: () => drain(server),
  };
};

interface Incoming {
  readonly incoming: IncomingMessage;
}

const LOCAL: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * A request over the loopback must have this machine as its Host: with DNS rebinding a web page could point its own
 * name here and read what this machine's user may see.
 */
const refuseForeignHost = ({ incoming }: Incoming, bound: string): Response | undefined => {
  const name = (incoming.headers.host ?? '').replace(/:\d+$/, '').toLowerCase();
  if (
    name === '' ||
    LOCAL.has(name) ||
    name === bound ||
    !/^(::1$|(::ffff:)?127\.)/.test(incoming.socket.localAddress ?? '')
  )
    return undefined;
  const message = `the host ${JSON.stringify(name.slice(0, 80))} is not this server; ask for localhost`;
  const { status, body, headers } = errorAnswer(new Fault('Forbidden', message, { field: 'host' }), '');
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
