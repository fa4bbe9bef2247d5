import {
  type CallToolResult,
  type ClientCapabilities,
  isSpecType,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server';
import { isObject } from '../../../shared/kernel/json.ts';
import type { CallContext } from './call-context.ts';
import { type Called, type CallParams, callMcpTool } from './call-tool.ts';
import type { McpCaller } from './caller.ts';
import { guarded } from './guarded.ts';
import { acceptsBoth, hasOnly, isModernRequest, NAMESPACE, readRequest } from './modern-request.ts';
import { identity, type McpContext } from './server.ts';

const METHOD = 'tools/call';
const CAPABILITIES = `${NAMESPACE}/clientCapabilities`;
const META_KEYS = [
  `${NAMESPACE}/protocolVersion`,
  `${NAMESPACE}/clientInfo`,
  CAPABILITIES,
  'assay/hallmark',
  'assay/max_micros',
];

interface OrdinaryCall {
  readonly id: string | number;
  readonly params: CallParams;
  readonly meta: Readonly<Record<string, unknown>>;
  readonly capabilities: ClientCapabilities;
}

/**
 * Answers a `tools/call` that needs one JSON answer and no messages before it. The package's server and transport,
 * created and validated for each request, cost more than the call itself. Undefined for every other request: the
 * package handles progress, logs, second rounds and invalid headers.
 */
export const answerOrdinaryCall = async (
  context: McpContext,
  caller: McpCaller,
  request: Request,
  body: unknown,
): Promise<string | undefined> => {
  const call = readOrdinaryCall(request.headers, body);
  if (!call) return undefined;
  const { id, params, capabilities } = call;
  try {
    const result = await guarded(context.assay, async () =>
      toWire(await callMcpTool(context, caller, params, silentContext(call.meta, request.signal), capabilities)),
    );
    return JSON.stringify({ result, jsonrpc: '2.0', id });
  } catch (thrown) {
    if (!(thrown instanceof ProtocolError)) throw thrown;
    const { code, message, data } = thrown;
    return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, data } });
  }
};

const readOrdinaryCall = (headers: Headers, body: unknown): OrdinaryCall | undefined => {
  const asked = readRequest(body, METHOD);
  if (!asked || !hasOnly(asked.params, ['name', 'arguments', '_meta'])) return undefined;
  const { name, arguments: args = {}, _meta: meta } = asked.params;
  if (typeof name !== 'string' || headers.get('mcp-name') !== name || !isObject(args)) return undefined;
  if (!isObject(meta) || !hasOnly(meta, META_KEYS) || !acceptsBoth(headers) || !isModernRequest(headers, meta, METHOD))
    return undefined;
  const capabilities = meta[CAPABILITIES];
  if (!isSpecType.ClientCapabilities(capabilities)) return undefined;
  return { id: asked.id, params: { name, arguments: args }, meta, capabilities: capabilities as ClientCapabilities };
};

/** A client without log level and progress token gets no notifications, and cannot be asked during a call. */
export const silentContext = (meta: OrdinaryCall['meta'], signal: AbortSignal): CallContext => ({
  mcpReq: {
    _meta: meta,
    envelope: meta as NonNullable<CallContext['mcpReq']['envelope']>,
    requestState: () => undefined,
    signal,
    notify: async () => {},
    log: async () => {},
    send: () => Promise.reject(new Error('a client of 2026-07-28 cannot be asked during a call')),
  },
});

const toWire = (called: Called): object => {
  const answer = 'result' in called ? checked(called.result) : 'ask' in called ? called.ask : called.task;
  const meta = '_meta' in answer && isObject(answer._meta) ? answer._meta : {};
  return { resultType: 'complete', ...answer, _meta: { ...meta, [`${NAMESPACE}/serverInfo`]: identity } };
};

/** Content without structured content may come unchecked from the tool itself. */
const checked = (result: CallToolResult): CallToolResult => {
  if (result.structuredContent !== undefined || isSpecType.CallToolResult(result)) return result;
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'the tool answered content that MCP does not know');
};
