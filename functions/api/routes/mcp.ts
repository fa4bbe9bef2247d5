import * as z from 'zod';
import { Fault } from '../../../shared/kernel/errors.ts';
import { answerBytes } from '../answer.ts';
import { readText } from '../body-bytes.ts';
import { consoleOf } from '../consent-link.ts';
import { stateOf } from '../request-state.ts';
import { type Body, route } from '../route.ts';

const JsonRpc = z.looseObject({ jsonrpc: z.literal('2.0') }).meta({ id: 'JsonRpc' });

/** The MCP package parses the message; its text is limited like any other body. */
const jsonRpc: Body<{ json: z.input<typeof JsonRpc> }, string> = {
  schema: JsonRpc,
  type: 'application/json',
  read: async (c) => (c.req.method === 'POST' ? readText(c) : ''),
};

/** The Model Context Protocol: stateless since 2026-07-28, and the earlier versions. */
const mcp = route({
  method: 'all',
  path: '/mcp',
  scope: 'any',
  summary:
    'The Model Context Protocol: tools/list, tools/call, resources/read; mode=search lists two tools for the whole catalogue',
  tag: 'MCP',
  query: z.object({
    mode: z
      .string()
      .optional()
      .meta({ enum: ['search'] }),
  }),
  body: jsonRpc,
  answers: {
    200: {
      description: 'JSON-RPC, as JSON or as server-sent events; clients must accept both',
      schema: JsonRpc,
      type: ['application/json', 'text/event-stream'],
    },
    202: { description: 'A notification was accepted' },
  },
  faults: ['InvalidInput', 'TooLarge'],
  // Runs before the key is checked, so that a page of another site cannot even learn whether the key is valid.
  guard: async (c, api) => (await api.mcp()).refuse(c.req.raw, c.env),
  async handle({ api, actor, requestId, query: { mode }, body, context }) {
    if (mode !== undefined && mode !== 'search')
      throw new Fault('InvalidInput', `mode ${JSON.stringify(mode)} is not known; leave it out or send mode=search`, {
        field: 'mode',
        value: mode,
      });
    const service = await api.mcp();
    const answer = await service.answer(context.req.raw, body, {
      actor,
      requestId,
      once: stateOf(context).once,
      console: consoleOf(context.req.raw),
      isSearch: mode === 'search',
    });
    return answer instanceof Response ? answer : answerBytes(context, answer.bytes, 'application/json');
  },
});

export const mcpRoutes = [mcp] as const;
