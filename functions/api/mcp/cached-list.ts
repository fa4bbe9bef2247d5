import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server';
import { requireScope } from '../../../shared/access/scopes.ts';
import { visibleTools } from '../../../shared/access/visible-tools.ts';
import { Fault } from '../../../shared/kernel/errors.ts';
import { isObject } from '../../../shared/kernel/json.ts';
import type { McpCaller } from './caller.ts';
import { acceptsBoth, hasOnly, isModernRequest, NAMESPACE, readRequest } from './modern-request.ts';
import { identity, LIST_HINT, type McpContext } from './server.ts';
import { readSession } from './session.ts';

const METHOD = 'tools/list';
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
 * Answers `tools/list` with bytes that are serialised once per revision. Undefined for anything but an ordinary list
 * request: the MCP package answers that, and refuses invalid requests.
 */
export const answerCachedList = async (
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
  const asked = readRequest(body, METHOD);
  if (!asked || !hasOnly(asked.params, ['cursor', '_meta'])) return undefined;
  const { cursor, _meta: meta = {} } = asked.params;
  if ((cursor !== undefined && typeof cursor !== 'string') || !isObject(meta)) return undefined;
  const era = readEra(headers, meta);
  return era && { id: asked.id, cursor, era };
};

const readEra = (headers: Headers, meta: Readonly<Record<string, unknown>>): ListRequest['era'] | undefined => {
  if (!acceptsBoth(headers)) return undefined;
  if (isModernRequest(headers, meta, METHOD)) return 'modern';
  if (Object.keys(meta).some((key) => key.startsWith(`${NAMESPACE}/`))) return undefined;
  const version = headers.get('mcp-protocol-version');
  if (version !== null && !SUPPORTED_PROTOCOL_VERSIONS.includes(version)) return undefined;
  const session = headers.get('mcp-session-id');
  return session === null || readSession(session) ? 'legacy' : undefined;
};
