import {
  isInitializeRequest,
  isJSONRPCErrorResponse,
  isJSONRPCResultResponse,
  type JSONRPCResponse,
  type Server,
} from '@modelcontextprotocol/server';
import { isObject } from '../../../shared/kernel/json.ts';
import { AskingTransport } from './asking-transport.ts';
import { type McpCaller, toAuthInfo } from './caller.ts';
import { earlierTasks } from './earlier-tasks.ts';
import { rpcError } from './errors.ts';
import type { Mailbox } from './mailbox.ts';
import { createServer, type McpContext } from './server.ts';
import { readSession, type Session, writeSession } from './session.ts';

export interface EarlierContext extends McpContext {
  readonly mailbox: Mailbox;
}

/** Serves protocol versions with initialize: each request has its own server, and no state is kept. */
export const serveEarlier = async (
  context: EarlierContext,
  caller: McpCaller,
  request: Request,
  body: unknown,
): Promise<Response> => {
  const answers = answersOf(body);
  if (answers) {
    for (const answer of answers) await context.mailbox.deliver(caller.actor, answer);
    return new Response(null, { status: 202 });
  }
  const given = request.headers.get('mcp-session-id');
  const session = given === null ? undefined : readSession(given);
  if (given !== null && !session) return rpcError(404, -32_001, 'this session is not known; initialize again', body);

  const nonce = Buffer.from(context.assay.random(16)).toString('hex');
  const sessionId = newSessionId(body, nonce);
  const transport = new AskingTransport({
    mailbox: context.mailbox,
    actor: caller.actor,
    nonce,
    isStream: isToolCall(body),
    sessionId,
  });
  const server = createServer(context, caller);
  if (context.assay.runs) server.registerCapabilities(earlierTasks);
  await server.connect(transport);
  if (session) await transport.introduce(session);
  request.signal.addEventListener('abort', () => void server.close(), { once: true });
  const response = await transport.handleRequest(request, { parsedBody: body, authInfo: toAuthInfo(caller) });
  return closeAfter(response, server);
};

/** The answers that a client posts to our questions; undefined when the body is anything else. */
const answersOf = (body: unknown): readonly JSONRPCResponse[] | undefined => {
  const messages: readonly unknown[] = Array.isArray(body) ? body : [body];
  const isAnswer = (message: unknown): message is JSONRPCResponse =>
    isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message);
  return messages.length > 0 && messages.every(isAnswer) ? messages : undefined;
};

/** Only clients that can be asked get a session; the others need none. */
const newSessionId = (body: unknown, nonce: string): string | undefined => {
  if (!isInitializeRequest(body)) return undefined;
  const { protocolVersion, capabilities } = body.params;
  if (capabilities.elicitation === undefined && capabilities.sampling === undefined) return undefined;
  return writeSession({ protocolVersion, capabilities } as Session, nonce);
};

// Tool calls are streamed, because progress or a question may come first; other answers are one JSON value.
const isToolCall = (body: unknown): boolean =>
  (Array.isArray(body) ? body : [body]).some((message) => isObject(message) && message.method === 'tools/call');

/** Closes the server when its answer has been read or cancelled. */
const closeAfter = (response: Response, server: Server): Response => {
  if (response.body === null || !response.headers.get('content-type')?.startsWith('text/event-stream')) {
    void server.close();
    return response;
  }
  const close = (): void => void server.close();
  const body = response.body.pipeThrough(new TransformStream({ flush: close, cancel: close } as Transformer));
  return new Response(body, { status: response.status, headers: response.headers });
};
