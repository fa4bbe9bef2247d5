import {
  isJSONRPCRequest,
  type JSONRPCMessage,
  type RequestId,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import type { Actor } from '../../../shared/model/key.ts';
import type { Mailbox } from './mailbox.ts';
import type { Session } from './session.ts';

const INTRODUCTION = 'introduction';

interface Options {
  readonly mailbox: Mailbox;
  readonly actor: Actor;
  /** An unguessable prefix for the request ids of this exchange. */
  readonly nonce: string;
  readonly sessionId?: string;
  readonly isStream: boolean;
}

/**
 * One exchange in a protocol before 2026-07-28. The client answers a question in another HTTP request, which may reach
 * another process.
 */
export class AskingTransport extends WebStandardStreamableHTTPServerTransport {
  readonly #mailbox: Mailbox;
  readonly #actor: Actor;
  readonly #nonce: string;
  readonly #waiting = new Set<() => void>();
  #introduced: (() => void) | undefined;

  constructor({ mailbox, actor, nonce, sessionId, isStream }: Options) {
    super({
      sessionIdGenerator: sessionId === undefined ? undefined : () => sessionId,
      enableJsonResponse: !isStream,
    });
    this.#mailbox = mailbox;
    this.#actor = actor;
    this.#nonce = nonce;
  }

  /** Gives the server the client's capabilities from the start of the session. */
  introduce({ protocolVersion, capabilities }: Session): Promise<void> {
    return new Promise((resolve) => {
      this.#introduced = resolve;
      const clientInfo = { name: 'unknown', version: '0' };
      const params = { protocolVersion, capabilities, clientInfo };
      this.onmessage?.({ jsonrpc: '2.0', id: INTRODUCTION, method: 'initialize', params });
    });
  }

  override async send(message: JSONRPCMessage, options?: { relatedRequestId?: RequestId }): Promise<void> {
    if ('id' in message && message.id === INTRODUCTION && this.#introduced) {
      this.#introduced();
      return;
    }
    // Every request has a server that counts from zero, so the id must tell to which call it belongs.
    await super.send(isJSONRPCRequest(message) ? { ...message, id: this.#expect(message.id) } : message, options);
  }

  override async close(): Promise<void> {
    for (const giveUp of this.#waiting) giveUp();
    this.#waiting.clear();
    await super.close();
  }

  #expect(own: RequestId): string {
    const id = `${this.#nonce}.${own}`;
    const giveUp = this.#mailbox.wait(this.#actor, id, (answer) => this.onmessage?.({ ...answer, id: own }));
    this.#waiting.add(giveUp);
    return id;
  }
}
