import { createMcpHandler, isJsonContentType, isLegacyRequest, type Server } from '@modelcontextprotocol/server';
import type { Assay } from '../../../shared/assay.ts';
import { checkJsonText } from '../../../shared/kernel/check-json-text.ts';
import { checkShape } from '../../../shared/kernel/check-nesting.ts';
import { answerCachedList } from './cached-list.ts';
import { type McpCaller, readCaller, toAuthInfo } from './caller.ts';
import { type EarlierContext, serveEarlier } from './earlier.ts';
import { answerEarlierTask } from './earlier-tasks.ts';
import { rpcError } from './errors.ts';
import { cameOverLoopback, type McpNames, refuseRebinding } from './guard.ts';
import { createMailbox } from './mailbox.ts';
import { answerOrdinaryCall } from './ordinary-call.ts';
import { createServer } from './server.ts';
import { createSubscriptions, isSubscription } from './subscriptions.ts';
import { withTaskName } from './task-name.ts';
import { serveTasks } from './tasks.ts';
import { requireTokenScope } from './token-scope.ts';
import { createToolBook } from './tool-book.ts';

/** The protocol handler of `/mcp`, created by the first request. */
export interface McpService {
  /** Refuses a request that a page of another site may have sent. */
  refuse(request: Request, env: unknown): Response | undefined;
  /** `text` is the request's body, already read within the limit. */
  answer(request: Request, text: string, caller: McpCaller): Promise<Response | SerialisedAnswer>;
}

/** An answer that is already serialised. */
export interface SerialisedAnswer {
  readonly bytes: Uint8Array<ArrayBuffer> | string;
}

export const createMcpService = (assay: Assay, { holdsStreams = true, ...names }: McpNames): McpService => {
  const context: EarlierContext = {
    assay,
    book: createToolBook(assay.handlers),
    mailbox: createMailbox(assay),
  };
  const modernServer = (caller: McpCaller): Server => {
    const server = createServer(context, caller);
    if (assay.runs) serveTasks(server, assay, assay.runs, caller.actor);
    if (holdsStreams) server.registerCapabilities({ tools: { listChanged: true } });
    return server;
  };
  const subscriptions = createSubscriptions(assay, modernServer);
  const modern = createMcpHandler(({ authInfo }) => modernServer(readCaller(authInfo)), {
    legacy: 'reject',
    onerror: (error) => assay.log.info('MCP request refused', { error: error.message }),
  });
  return {
    refuse: (request, env) => refuseRebinding(request, cameOverLoopback(env), names),
    async answer(request, text, caller) {
      if (request.method !== 'POST')
        return rpcError(405, -32_000, 'send JSON-RPC by POST; there is no stream to open and no session');
      if (!isJsonContentType(request.headers.get('content-type')))
        return rpcError(415, -32_000, 'content-type must be application/json');
      checkJsonText(text, 'the message');
      const body = parse(text);
      if (body === undefined) return rpcError(400, -32_700, 'the body is not JSON');
      checkShape(body, { depth: 128, what: 'the message' });
      requireTokenScope(caller.actor, body);
      const kept = await answerCachedList(context, caller, request, body);
      if (kept !== undefined) return { bytes: kept };
      const called = await answerOrdinaryCall(context, caller, request, body);
      if (called !== undefined) return { bytes: called };
      if (await isLegacyRequest(request, body)) {
        const task = await answerEarlierTask(context, caller, body, request.signal);
        return task === undefined ? serveEarlier(context, caller, request, body) : { bytes: task };
      }
      if (holdsStreams && isSubscription(body)) return subscriptions.open(request, body, caller);
      return modern.fetch(withTaskName(request, text, body), { parsedBody: body, authInfo: toAuthInfo(caller) });
    },
  };
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
