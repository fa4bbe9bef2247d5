import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** What a function returned to Lambda. */
interface RuntimeAnswer {
  readonly body: string;
  readonly mode: string;
  readonly failed: boolean;
}

export interface RuntimeApi {
  readonly address: string;
  answer(): Promise<RuntimeAnswer>;
  stop(): Promise<void>;
}

const PREFIX = '/2018-06-01/runtime';

/** Lambda's Runtime API with one event to hand out. */
export const startRuntimeApi = async (event: unknown): Promise<RuntimeApi> => {
  const { promise, resolve } = Promise.withResolvers<RuntimeAnswer>();
  let handedOut = false;
  const server = createServer(async (request, response) => {
    if (request.url === `${PREFIX}/invocation/next`) {
      // The second request is never answered, so the runtime waits until it is stopped.
      if (handedOut) return;
      handedOut = true;
      response.writeHead(200, {
        'lambda-runtime-aws-request-id': '8476a536-e9f4-11e8-9739-2dfe598c3fcd',
        'lambda-runtime-deadline-ms': String(Date.now() + 30_000),
        'lambda-runtime-invoked-function-arn': 'arn:aws:lambda:us-east-1:111122223333:function:assay',
        'content-type': 'application/json',
      });
      response.end(JSON.stringify(event));
      return;
    }
    const body = await text(request);
    response.writeHead(202).end('{}');
    const mode = String(request.headers['lambda-runtime-function-response-mode'] ?? 'buffered');
    resolve({ body, mode, failed: request.url?.endsWith('/error') === true });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    answer: () => promise,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};
