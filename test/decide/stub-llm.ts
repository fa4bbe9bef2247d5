import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface StubCall {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface StubAnswer {
  readonly status?: number;
  readonly content?: string;
  readonly raw?: string;
  readonly delayMs?: number;
}

/** A server that speaks OpenAI's chat protocol and answers what the test says. */
export const startStubLlm = async (answer: (call: StubCall) => StubAnswer) => {
  const calls: StubCall[] = [];
  const server = createServer(async (request, response) => {
    const call = {
      path: request.url ?? '',
      authorization: request.headers.authorization,
      body: await readBody(request),
    };
    calls.push(call);
    if (call.path.endsWith('/models')) {
      response.end(JSON.stringify({ data: [{ id: 'first-model' }] }));
      return;
    }
    const { status = 200, content = '', raw, delayMs = 0 } = answer(call);
    setTimeout(() => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(raw ?? JSON.stringify({ choices: [{ message: { role: 'assistant', content } }] }));
    }, delayMs).unref();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.closeAllConnections();
      server.close(() => resolve());
    });
  return { url: `http://127.0.0.1:${port}`, calls, close };
};

const readBody = async (request: IncomingMessage): Promise<Readonly<Record<string, unknown>>> => {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text === '' ? {} : (JSON.parse(text) as Readonly<Record<string, unknown>>);
};
