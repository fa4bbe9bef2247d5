import type { MiddlewareHandler } from 'hono';
import * as z from 'zod';
import type { Assay } from '../../../shared/assay.ts';
import { Fault } from '../../../shared/kernel/errors.ts';
import { limitBodies } from '../body.ts';
import { describe } from '../describe.ts';
import type { ApiContext, App, Env } from '../env.ts';
import { type Admission, authenticateRequests } from '../middleware.ts';
import type { McpCaller } from './caller.ts';
import type { McpNames } from './guard.ts';
import type { McpService } from './service.ts';

/** `POST /mcp`: the Model Context Protocol, stateless since 2026-07-28, and its versions before. */
export const mcpRoutes = (app: App, assay: Assay, admission: Admission, names: McpNames = {}): void => {
  // The protocol's package is a quarter of the start of a process that may never speak it.
  let loading: Promise<McpService> | undefined;
  const service = () =>
    (loading ??= import('./service.ts').then(({ createMcpService }) => createMcpService(assay, names)));

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
  app.use('/mcp', refusePages(service), authenticateRequests(admission), limitBodies);
  app.all('/mcp', async (c) => (await service()).answer(c.req.raw, mcpCallerOf(c)));
};

/** Before the key is looked at: a page of another site must not even learn whether it is good. */
const refusePages = (service: () => Promise<McpService>): MiddlewareHandler<Env> =>
  async function refusePages(c, next) {
    return (await service()).refuse(c.req.raw, c.env) ?? next();
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
