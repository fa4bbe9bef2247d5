import { createMcpHandler, isJsonContentType, isLegacyRequest } from '@modelcontextprotocol/server';
import type { MiddlewareHandler } from 'hono';
import * as z from 'zod';
import type { Assay } from '../../../shared/assay.ts';
import { Fault } from '../../../shared/errors.ts';
import { limitBodies } from '../body.ts';
import { describe } from '../describe.ts';
import type { ApiContext, App, Env } from '../env.ts';
import { authenticateRequests } from '../middleware.ts';
import { authInfoOf, callerOf, type McpCaller } from './caller.ts';
import { type EarlierContext, serveEarlier } from './earlier.ts';
import { rpcError } from './errors.ts';
import { cameOverLoopback, type McpNames, refuseRebinding } from './guard.ts';
import { createMailbox } from './mailbox.ts';
import { createServer } from './server.ts';
import { createToolBook } from './tool-book.ts';

/** `POST /mcp`: the Model Context Protocol, stateless since 2026-07-28, and its versions before. */
export const mcpRoutes = (app: App, assay: Assay, names: McpNames = {}): void => {
  const context: EarlierContext = {
    assay,
    book: createToolBook(assay.handlers),
    mailbox: createMailbox(assay),
  };
  const modern = createMcpHandler(({ authInfo }) => createServer(context, callerOf(authInfo)), {
    legacy: 'reject',
    onerror: (error) => assay.log.info('MCP request refused', { error: error.message }),
  });

  describe(app, {
    method: 'post',
    path: '/mcp',
    summary: 'The Model Context Protocol: tools/list, tools/call, resources/read; mode=search gives two tools for all',
    tag: 'MCP',
    query: z.object({ mode: z.enum(['search']).optional() }),
    body: z.looseObject({ jsonrpc: z.literal('2.0') }).meta({ id: 'JsonRpc' }),
    answers: {
      200: { description: 'JSON-RPC, as JSON or as server-sent events', schema: z.unknown() },
      202: { description: 'A notification was taken' },
    },
    faults: ['InvalidInput', 'TooLarge'],
  });
  app.use('/mcp', refusePages(names), authenticateRequests(assay), limitBodies);
  app.post('/mcp', async (c) => {
    const request = c.req.raw;
    if (!isJsonContentType(request.headers.get('content-type')))
      return rpcError(415, -32_000, 'content-type must be application/json');
    const body = parse(await c.req.text());
    if (body === undefined) return rpcError(400, -32_700, 'the body is not JSON');
    const caller = mcpCallerOf(c);
    if (await isLegacyRequest(request, body)) return serveEarlier(context, caller, request, body);
    return modern.fetch(request, { parsedBody: body, authInfo: authInfoOf(caller) });
  });
  app.all('/mcp', () => rpcError(405, -32_000, 'send JSON-RPC by POST; there is no stream to open and no session'));
};

/** Before the key is looked at: a page of another site must not even learn whether it is good. */
const refusePages = (names: McpNames): MiddlewareHandler<Env> =>
  async function refusePages(c, next) {
    return refuseRebinding(c.req.raw, cameOverLoopback(c.env), names) ?? next();
  };

const mcpCallerOf = (c: ApiContext): McpCaller => {
  const mode = c.req.query('mode');
  if (mode !== undefined && mode !== 'search')
    throw new Fault('InvalidInput', `mode ${JSON.stringify(mode)} is not known; leave it out or send mode=search`, {
      field: 'mode',
      value: mode,
    });
  return { actor: c.get('actor'), requestId: c.get('requestId'), isSearch: mode === 'search' };
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
