import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server';
import { requireScope } from '../../../shared/access/scopes.ts';
import { visibleTools } from '../../../shared/access/visible-tools.ts';
import { Fault } from '../../../shared/kernel/errors.ts';
import { isObject } from '../../../shared/kernel/json.ts';
import type { McpCaller } from './caller.ts';
import { identity, LIST_HINT, type McpContext } from './server.ts';
import { readSession } from './session.ts';

const MODERN = '2026-07-28';
const NAMESPACE = 'io.modelcontextprotocol';
const LIST_START = Buffer.from('{"result":{"tools":[');
const listEnd = {
  modern: `,"resultType":"complete","ttlMs":${LIST_HINT.ttlMs},"cacheScope":"${LIST_HINT.cacheScope}","_meta":{"${NAMESPACE}/serverInfo":${JSON.stringify(identity)}}},"jsonrpc":"2.0","id":`,
  legacy: '},"jsonrpc":"2.0","id":',
};

interface ListRequest {
  readonly id: string | number;
  readonly cursor?: string | undefined;
  readonly era: keyof typeof listEnd;
}

/**
 * The answer to `tools/list` from bytes that were serialised once for each revision. Undefined for everything that is
 * not an ordinary request for a list: the protocol's package answers that, and refuses what is wrong.
 */
export const answerKeptList = async (
  { assay, book }: McpContext,
  { actor, isSearch }: McpCaller,
  request: Request,
  body: unknown,
): Promise<Uint8Array<ArrayBuffer> | undefined> => {
  const asked = isSearch ? undefined : readListRequest(request.headers, body);
  if (!asked) return undefined;
  try {
    requireScope(actor, 'read');
    const { catalog } = await assay.catalogs.of(actor.tenant);
    const { bytes, nextCursor } = book.serialised(catalog, visibleTools(actor), asked.cursor, assay.iqa);
    const next = nextCursor === undefined ? '' : `,"nextCursor":${JSON.stringify(nextCursor)}`;
    const end = `]${next}${listEnd[asked.era]}${JSON.stringify(asked.id)}}`;
    return Buffer.concat([LIST_START, bytes, Buffer.from(end)]);
  } catch (thrown) {
    if (thrown instanceof Fault) return undefined;
    throw thrown;
  }
};

const readListRequest = (headers: Headers, body: unknown): ListRequest | undefined => {
  if (!isObject(body) || body.jsonrpc !== '2.0' || body.method !== 'tools/list') return undefined;
  const { id, params = {} } = body;
  if (typeof id !== 'string' && !(typeof id === 'number' && Number.isSafeInteger(id))) return undefined;
  if (!isObject(params) || !isOnly(params, ['cursor', '_meta']) || !isOnly(body, ['jsonrpc', 'id', 'method', 'params']))
    return undefined;
  const { cursor, _meta: meta = {} } = params;
  if ((cursor !== undefined && typeof cursor !== 'string') || !isObject(meta)) return undefined;
  const era = eraOf(headers, meta);
  return era && { id, cursor, era };
};

const eraOf = (headers: Headers, meta: Readonly<Record<string, unknown>>): ListRequest['era'] | undefined => {
  const accept = headers.get('accept') ?? '';
  if (!accept.includes('application/json') || !accept.includes('text/event-stream')) return undefined;
  const version = headers.get('mcp-protocol-version');
  if (version === MODERN) return isModern(headers, meta) ? 'modern' : undefined;
  if (Object.keys(meta).some((key) => key.startsWith(`${NAMESPACE}/`))) return undefined;
  if (version !== null && !SUPPORTED_PROTOCOL_VERSIONS.includes(version)) return undefined;
  const session = headers.get('mcp-session-id');
  return session === null || readSession(session) ? 'legacy' : undefined;
};

const isModern = (headers: Headers, meta: Readonly<Record<string, unknown>>): boolean =>
  headers.get('mcp-method') === 'tools/list' &&
  meta[`${NAMESPACE}/protocolVersion`] === MODERN &&
  isObject(meta[`${NAMESPACE}/clientCapabilities`]) &&
  isClient(meta[`${NAMESPACE}/clientInfo`]);

const isClient = (info: unknown): boolean =>
  isObject(info) && typeof info.name === 'string' && typeof info.version === 'string';

const isOnly = (value: Readonly<Record<string, unknown>>, known: readonly string[]): boolean =>
  Object.keys(value).every((key) => known.includes(key));
