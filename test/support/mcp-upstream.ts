import { once } from 'node:events';
import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { createMcpHandler, Server } from '@modelcontextprotocol/server';

export interface FakeTool {
  readonly name: string;
  readonly description?: string;
  readonly title?: string;
  readonly inputSchema: unknown;
  readonly outputSchema?: unknown;
  readonly annotations?: unknown;
}

export interface FakeUpstream {
  readonly url: string;
  /** The tools that it lists; a test may change them between refreshes. */
  tools: readonly FakeTool[];
  /** The number of tools per page. */
  pageSize: number;
  /** Answers calls; by default with the arguments as text. */
  answer: (name: string, args: unknown) => unknown;
  readonly calls: { readonly name: string; readonly arguments: unknown }[];
  readonly requests: { readonly method: string; readonly url: string; readonly headers: Headers }[];
}

interface Cleaning {
  after(clean: () => Promise<void>): void;
}

/** An in-process MCP server whose tools a test can change; it speaks both protocol generations. */
export const fakeUpstream = async (test: Cleaning, tools: readonly FakeTool[]): Promise<FakeUpstream> => {
  const fake: Omit<FakeUpstream, 'url'> = {
    tools,
    pageSize: 1000,
    answer: (_, args) => ({ content: [{ type: 'text', text: JSON.stringify(args) }] }),
    calls: [],
    requests: [],
  };
  const handler = createMcpHandler(() => {
    const server = new Server({ name: 'fake', version: '1' }, { capabilities: { tools: {} } });
    server.setRequestHandler('tools/list', ({ params }) => {
      const start = Number(params?.cursor ?? 0);
      const end = start + fake.pageSize;
      const page = fake.tools.slice(start, end);
      return { tools: page as never, ...(end < fake.tools.length ? { nextCursor: String(end) } : {}) };
    });
    server.setRequestHandler('tools/call', async ({ params }) => {
      fake.calls.push({ name: params.name, arguments: params.arguments });
      return (await fake.answer(params.name, params.arguments)) as never;
    });
    return server;
  });
  const { url } = await serveHttp(test, (request) => {
    fake.requests.push({ method: request.method, url: request.url, headers: request.headers });
    return handler.fetch(request);
  });
  return Object.assign(fake, { url: `${url}/mcp` });
};

/** Serves requests on a free loopback port. */
export const serveHttp = async (
  test: Cleaning,
  answer: (request: Request) => Response | Promise<Response>,
): Promise<{ readonly url: string; readonly server: HttpServer }> => {
  const server = createServer(getRequestListener(answer));
  // On a busy machine, a connection may be idle for longer than Node's default timeout.
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  test.after(async () => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
};
