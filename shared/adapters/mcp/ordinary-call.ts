import { ProtocolError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import { isObject } from '../../kernel/json.ts';
import { EventText } from '../../providers/stream/event-text.ts';
import type { McpResult } from '../../sources/mcp-output.ts';

/** Sends one message to an MCP server over HTTP, with its credentials. */
export type Post = (body: string, headers: Readonly<Record<string, string>>, signal: AbortSignal) => Promise<Response>;

export interface OrdinaryCall {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly meta: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
}

/** The call needs the package's client: the server asks the user, or wants arguments in headers. */
export const NEEDS_CLIENT = Symbol('needs the client');

const VERSION = '2026-07-28';
/** Other names need an encoding in headers. */
const PLAIN_NAME = /^[A-Za-z0-9_./:-]+$/;
const HEADER_MISMATCH = -32_020;
const ID = 1;

/** Whether a call can be sent as a single request: in the stateless protocol, with a plain name. */
export const isOrdinary = (version: string | undefined, name: string): boolean =>
  version === VERSION && PLAIN_NAME.test(name);

/**
 * Sends a call of the stateless protocol as one request. The package's client validates every message against all
 * schemas, which costs more than the rest of a call through a source.
 */
export const sendOrdinaryCall = async (
  post: Post,
  { name, args, meta, signal }: OrdinaryCall,
): Promise<McpResult | typeof NEEDS_CLIENT> => {
  const params = { name, arguments: args, _meta: { 'io.modelcontextprotocol/protocolVersion': VERSION, ...meta } };
  const answer = await post(
    JSON.stringify({ jsonrpc: '2.0', id: ID, method: 'tools/call', params }),
    {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'mcp-protocol-version': VERSION,
      'mcp-method': 'tools/call',
      'mcp-name': name,
    },
    signal,
  );
  return readMessage(await finalMessage(answer));
};

const finalMessage = async (answer: Response): Promise<unknown> => {
  const type = answer.headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase();
  if (answer.ok && type === 'text/event-stream') return lastEvent(answer);
  const text = await answer.text();
  const message = parse(text);
  if (isResponse(message) && (answer.ok || answer.status === 400)) return message;
  if (answer.ok) throw malformed(text);
  const { status, statusText } = answer;
  throw new SdkHttpError(SdkErrorCode.ClientHttpNotImplemented, `it answers ${status}: ${text.slice(0, 2000)}`, {
    status,
    statusText,
  });
};

/** The response to the call, after any notifications. */
const lastEvent = async ({ body }: Response): Promise<unknown> => {
  let found: unknown;
  const ignore = (): void => {};
  const object = (message: unknown): void => {
    if (isResponse(message)) found ??= message;
  };
  const events = new EventText({ object, lost: ignore, done: ignore });
  const decoder = new TextDecoder();
  for await (const part of body ?? []) {
    events.push(decoder.decode(part, { stream: true }));
    if (found !== undefined) return found;
  }
  events.end();
  return found ?? Promise.reject(malformed(''));
};

const isResponse = (message: unknown): message is Readonly<Record<string, unknown>> =>
  isObject(message) && message.id === ID && ('result' in message || 'error' in message);

const readMessage = (message: unknown): McpResult | typeof NEEDS_CLIENT => {
  const { result, error } = message as { readonly result?: unknown; readonly error?: unknown };
  if (isObject(error)) {
    if (error.code === HEADER_MISMATCH) return NEEDS_CLIENT;
    throw new ProtocolError(Number(error.code), String(error.message), error.data);
  }
  if (isObject(result) && result.resultType === 'input_required') return NEEDS_CLIENT;
  if (isResult(result)) return result;
  throw malformed(JSON.stringify(result ?? message));
};

const isResult = (result: unknown): result is Readonly<Record<string, unknown>> & McpResult =>
  isObject(result) &&
  (result.resultType === undefined || result.resultType === 'complete') &&
  (result.content === undefined || (Array.isArray(result.content) && result.content.every(isBlock))) &&
  (result.isError === undefined || typeof result.isError === 'boolean');

const isBlock = (block: unknown): boolean => isObject(block) && typeof block.type === 'string';

const malformed = (text: string): Error =>
  new Error(
    text === ''
      ? 'it ended its answer without a result'
      : `it answers something that is no result of a call: ${text.slice(0, 200)}`,
  );

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
