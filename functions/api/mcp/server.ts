import {
  type CallToolResult,
  type InputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { Assay } from '../../../shared/assay.ts';
import { requireScope } from '../../../shared/billing/authenticate.ts';
import { Fault } from '../../../shared/errors.ts';
import { type CallParams, callMcpTool } from './call-tool.ts';
import type { McpCaller } from './caller.ts';
import { readLink } from './links.ts';
import { metaToolPage, type ToolBook } from './tool-book.ts';

/** What is kept between requests. */
export interface McpContext {
  readonly assay: Assay;
  readonly book: ToolBook;
}

const identity = { name: 'assay', title: 'Assay', version: '0.1.0' };

const instructions =
  'A registry of tools that are run here. A call answers with the tool’s output, also as structured content. Tools that need consent ask for it; dangerous ones are refused without a grant.';

const PRIVATE = 'private' as const;
const cacheHints = {
  'tools/list': { ttlMs: 60_000, cacheScope: PRIVATE },
  'resources/list': { ttlMs: 60_000, cacheScope: PRIVATE },
  'resources/templates/list': { ttlMs: 3_600_000, cacheScope: PRIVATE },
  'resources/read': { ttlMs: 3_600_000, cacheScope: PRIVATE },
  'server/discover': { ttlMs: 3_600_000, cacheScope: PRIVATE },
};

const options = {
  capabilities: { tools: {}, resources: {}, logging: {} },
  instructions,
  cacheHints,
  // A person gets this long to answer on a connection that is kept open for it.
  inputRequired: { roundTimeoutMs: 300_000 },
  // What is accepted is consent, whatever the form holds: nothing of it is read.
  jsonSchemaValidator: { getValidator: () => (input: unknown) => ({ valid: true, data: input }) as never },
};

/** A server for one request. It holds nothing but the caller: all that costs time is in the context. */
export const createServer = (context: McpContext, caller: McpCaller): Server => {
  const { assay, book } = context;
  const { actor } = caller;
  const server = new Server(identity, options);

  server.setRequestHandler('tools/list', ({ params }) =>
    guarded(assay, async () => {
      requireScope(actor, 'read');
      if (caller.isSearch) return { ...metaToolPage };
      const { catalog } = await assay.catalogs.of(actor.tenant);
      return { ...book.page(catalog, actor.tools, params?.cursor) };
    }),
  );
  server.setRequestHandler('tools/call', ({ params }, ctx: ServerContext) =>
    guarded(assay, async (): Promise<CallToolResult | InputRequiredResult> => {
      const called = await callMcpTool(context, caller, params as CallParams, ctx, server.getClientCapabilities());
      return 'result' in called ? server.projectCallToolResult(called.result, called.outputSchema) : called.ask;
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
      requireScope(actor, 'read');
      return { contents: [await readLink(assay, actor.tenant, params.uri)] };
    }),
  );
  return server;
};

/** Refusals become the protocol's errors; what is not expected says nothing internal. */
const guarded = async <T>(assay: Assay, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (thrown) {
    if (thrown instanceof ProtocolError) throw thrown;
    if (thrown instanceof Fault)
      throw new ProtocolError(errorCodeOf(thrown), thrown.message, { code: thrown.code, ...thrown.details });
    const { message, stack } = thrown as Error;
    assay.log.error('unexpected error', { error: message, stack });
    throw new ProtocolError(ProtocolErrorCode.InternalError, 'something went wrong on our side; try again');
  }
};

const errorCodeOf = ({ code }: Fault): number => {
  if (code === 'InvalidInput' || code === 'NotFound') return ProtocolErrorCode.InvalidParams;
  return code === 'Internal' || code === 'Unavailable'
    ? ProtocolErrorCode.InternalError
    : ProtocolErrorCode.InvalidRequest;
};
