import type { Client } from '@modelcontextprotocol/client';
import * as z from 'zod';
import type { CallContext } from '../../kernel/ports.ts';
import { currentTraceparent } from '../../kernel/trace.ts';
import type { OpenedUpstream } from '../../sources/context.ts';
import { readMcpOutput } from '../../sources/mcp-output.ts';
import { readMcpTool } from '../../sources/mcp-tools.ts';
import { MAX_TOOLS } from '../../sources/refresh.ts';
import type { UpstreamProblem, UpstreamTool } from '../../sources/upstream.ts';
import { type Connect, clientCapabilities, clientInfo } from './connect.ts';
import { type Connection, createConnections } from './connections.ts';
import { isOrdinary, NEEDS_CLIENT, sendOrdinaryCall } from './ordinary-call.ts';

const PAGE_MS = 30_000;
/** The longest timeout of any tool; the call's own signal ends it earlier. */
const CALL_MS = 900_000;
const MAX_PAGES = 1000;

// Only what paging needs: one invalid tool must not hide the others.
const Listed = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().optional() });

/** An MCP server of any protocol version as an upstream. */
export const mcpUpstream = (connect: Connect, changed: () => void): OpenedUpstream => {
  const connections = createConnections(connect, changed);
  return {
    async list(signal) {
      return connections.use(undefined, async ({ client }) => listTools(client, signal));
    },
    async call(tool, args, context) {
      return connections.use(context, async (connection) => callTool(connection, tool, args, context));
    },
    close: connections.close,
  };
};

const listTools = async (client: Client, signal: AbortSignal) => {
  const tools: UpstreamTool[] = [];
  const problems: UpstreamProblem[] = [];
  const cursors = new Set<string>();
  let cursor: string | undefined;
  do {
    const request = { method: 'tools/list', params: { cursor } };
    const page = await client.request(request, Listed, { signal, timeout: PAGE_MS });
    for (const listed of page.tools) {
      const read = readMcpTool(listed);
      if ('reason' in read) problems.push(read);
      else tools.push(read);
    }
    if (tools.length > MAX_TOOLS)
      throw new Error(`it lists more than ${MAX_TOOLS} tools; name some in \`allowed\`, or split it`);
    cursor = page.nextCursor;
    if (cursor !== undefined && (cursors.has(cursor) || cursors.size >= MAX_PAGES))
      throw new Error(
        `its list does not end: ${cursors.has(cursor) ? `the cursor ${cursor.slice(0, 40)} came twice` : `more than ${MAX_PAGES} pages`}`,
      );
    if (cursor !== undefined) cursors.add(cursor);
  } while (cursor !== undefined);
  return { tools, problems };
};

const callTool = async (
  connection: Connection,
  name: string,
  args: Readonly<Record<string, unknown>>,
  context: CallContext,
): Promise<unknown> => {
  const { client, calls, post } = connection;
  const traceparent = currentTraceparent();
  // Progress and elicitation need the package's client.
  if (
    post &&
    !context.progress &&
    !context.client?.request &&
    isOrdinary(client.getNegotiatedProtocolVersion(), name)
  ) {
    const meta = traceparent === undefined ? ENVELOPE : { ...ENVELOPE, traceparent };
    const result = await sendOrdinaryCall(post, { name, args, meta, signal: context.signal });
    if (result !== NEEDS_CLIENT) return readMcpOutput(result);
  }
  calls.add(context);
  try {
    return readMcpOutput(await askClient(client, { name, args, traceparent }, context));
  } finally {
    calls.delete(context);
  }
};

const ENVELOPE = {
  'io.modelcontextprotocol/clientInfo': clientInfo,
  'io.modelcontextprotocol/clientCapabilities': clientCapabilities,
};

interface Asked {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly traceparent: string | undefined;
}

const askClient = (client: Client, { name, args, traceparent }: Asked, { signal, progress }: CallContext) =>
  client.callTool(
    { name, arguments: args, _meta: traceparent === undefined ? undefined : { traceparent } },
    {
      signal,
      timeout: CALL_MS,
      onprogress: progress && (({ progress: done, total, message }) => progress(done, total, message)),
    },
  );
