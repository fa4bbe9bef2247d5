import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { Fault, messageOf } from '../../shared/kernel/errors.ts';
import type { App } from '../api/env.ts';

export interface Listening {
  readonly address: string;
  close(): Promise<void>;
}

const DRAIN_MS = 5000;

/** Serves the app on a port; 0 takes a free one. */
export const listen = async (app: Pick<App, 'fetch'>, host: string, port: number): Promise<Listening> => {
  const server = createAdaptorServer({
    fetch: app.fetch as (request: Request) => Response | Promise<Response>,
  }) as Server;
  server.listen(port, host);
  await once(server, 'listening').catch((cause: unknown) => {
    throw new Fault(
      'Unavailable',
      `cannot listen on ${host}:${port} (${messageOf(cause)}); choose another with --port`,
      {},
      { cause },
    );
  });
  const { port: taken } = server.address() as AddressInfo;
  return {
    address: `http://${host.includes(':') ? `[${host}]` : host}:${taken}`,
    close: () => drain(server),
  };
};

// close() waits for open streams for ever: they get a while, then they are cut.
const drain = async (server: Server): Promise<void> => {
  const closed = once(server, 'close');
  // Callers that keep a connection would go on calling on it.
  server.prependListener('request', (_, response) => response.setHeader('connection', 'close'));
  server.close();
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
  await closed;
  clearTimeout(timer);
};
