import type { CallToolResult, InputRequiredResult, Server, ServerContext } from '@modelcontextprotocol/server';
import { requireScope } from '../../../shared/access/scopes.ts';
import { visibleTools } from '../../../shared/access/visible-tools.ts';
import type { Assay } from '../../../shared/assay.ts';
import { about } from '../about.ts';
import { type CallParams, callMcpTool } from './call-tool.ts';
import type { McpCaller } from './caller.ts';
import { inClientTrace } from './client-trace.ts';
import { guarded } from './guarded.ts';
import { readLink } from './links.ts';
import { TaskServer } from './task-server.ts';
import { metaToolPage, type ToolBook } from './tool-book.ts';

/** State shared by all requests. */
export interface McpContext {
  readonly assay: Assay;
  readonly book: ToolBook;
}

const { name, title, version } = about;
export const identity = { name, title, version };

const instructions =
  'A registry of tools that are run here. A call answers with the tool’s output, also as structured content. Tools that need consent ask for it; dangerous ones are refused without a grant.';

const PRIVATE = 'private' as const;
export const LIST_HINT = { ttlMs: 60_000, cacheScope: PRIVATE };
const cacheHints = {
  'tools/list': LIST_HINT,
  'resources/list': { ttlMs: 60_000, cacheScope: PRIVATE },
  'resources/templates/list': { ttlMs: 3_600_000, cacheScope: PRIVATE },
  'resources/read': { ttlMs: 3_600_000, cacheScope: PRIVATE },
  'server/discover': { ttlMs: 3_600_000, cacheScope: PRIVATE },
};

const options = {
  capabilities: { tools: {}, resources: {}, logging: {} },
  instructions,
  cacheHints,
  // How long a person may take to answer on a connection that is kept open.
  inputRequired: { roundTimeoutMs: 300_000 },
  // Acceptance itself is the consent; the form's fields are not read, so they are not validated.
  jsonSchemaValidator: { getValidator: () => (input: unknown) => ({ valid: true, data: input }) as never },
};

/** A server for one request. It only holds the caller; everything expensive is in the context. */
export const createServer = (context: McpContext, caller: McpCaller): Server => {
  const { assay, book } = context;
  const { actor } = caller;
  const server = new TaskServer(identity, options);

  server.setRequestHandler('tools/list', ({ params }) =>
    guarded(assay, async () => {
      requireScope(actor, 'read');
      if (caller.isSearch) return { ...metaToolPage };
      const { catalog } = await assay.catalogs.of(actor.tenant);
      return { ...book.page(catalog, visibleTools(actor), params?.cursor, assay.iqa) };
    }),
  );
  server.setRequestHandler('tools/call', ({ params }, ctx: ServerContext) =>
    guarded(assay, async (): Promise<CallToolResult | InputRequiredResult> => {
      const called = await inClientTrace(context.assay.tracer, ctx.mcpReq._meta?.traceparent, () =>
        callMcpTool(context, caller, params as CallParams, ctx, server.getClientCapabilities()),
      );
      if ('result' in called) return server.projectCallToolResult(called.result, called.outputSchema);
      // The package's types do not allow a task as the answer of a call.
      return 'ask' in called ? called.ask : (called.task as object as CallToolResult);
    }),
  );
  server.setRequestHandler('resources/list', () => ({ resources: [] }));
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: [
      { uriTemplate: 'assay://results/{name}', name: 'result', description: 'A large result that a tool linked to' },
    ],
  }));
  server.setRequestHandler('resources/read', ({ params }) =>
    guarded(assay, async () => {
      // A caller that may call tools may also read the links in their results.
      requireScope(actor, 'read', 'invoke');
      return { contents: [await readLink(assay, actor.tenant, params.uri)] };
    }),
  );
  return server;
};
