import { isObject } from '../../../shared/kernel/json.ts';

const VERSION = '2026-07-28';
export const NAMESPACE = 'io.modelcontextprotocol';

/** Whether headers and `_meta` agree that this is a well-formed 2026-07-28 request for a method. */
export const isModernRequest = (headers: Headers, meta: Readonly<Record<string, unknown>>, method: string): boolean =>
  headers.get('mcp-protocol-version') === VERSION &&
  headers.get('mcp-method') === method &&
  meta[`${NAMESPACE}/protocolVersion`] === VERSION &&
  isObject(meta[`${NAMESPACE}/clientCapabilities`]) &&
  isClient(meta[`${NAMESPACE}/clientInfo`]);

/** Whether a client accepts both JSON and a stream, as the protocol requires. */
export const acceptsBoth = (headers: Headers): boolean => {
  const accept = headers.get('accept') ?? '';
  return accept.includes('application/json') && accept.includes('text/event-stream');
};

/** The id and the params of a JSON-RPC request for a method; undefined when it has any other field. */
export const readRequest = (
  body: unknown,
  method: string,
): { readonly id: string | number; readonly params: Readonly<Record<string, unknown>> } | undefined => {
  if (!isObject(body) || body.jsonrpc !== '2.0' || body.method !== method) return undefined;
  const { id, params = {} } = body;
  if (typeof id !== 'string' && !(typeof id === 'number' && Number.isSafeInteger(id))) return undefined;
  return isObject(params) && hasOnly(body, ['jsonrpc', 'id', 'method', 'params']) ? { id, params } : undefined;
};

export const hasOnly = (value: Readonly<Record<string, unknown>>, known: readonly string[]): boolean =>
  Object.keys(value).every((key) => known.includes(key));

const isClient = (info: unknown): boolean =>
  isObject(info) && typeof info.name === 'string' && typeof info.version === 'string';
