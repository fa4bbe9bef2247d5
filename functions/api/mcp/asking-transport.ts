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
  /** Unguessable: it makes the ids of this exchange's requests its own. */
  readonly nonce: string;
  readonly sessionId?: string;
  readonly isStream: boolean;
}

/** One exchange of a protocol before 2026-07-28. What it asks the client is answered by another request, elsewhere. */
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

  /** Tells the server what the client said of itself when the session began. */
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
    // Servers of other requests count from zero too: an id must tell which call it belongs to.
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
