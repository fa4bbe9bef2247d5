import type { IncomingMessage, ServerResponse } from 'node:http';
import { type TakesWhole, toResponse } from '../api/whole-response.ts';

/** A request of Node, and where its answer is written. */
export interface Exchange {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
}

export type Answer = Response | Promise<Response>;

/**
 * A request that knows its address and method. When a handler reads anything else, or answers later, the exchange is
 * handed over to a server that makes full requests and writes all kinds of responses.
 */
export class LightRequest implements Partial<Request>, TakesWhole {
  readonly url: string;
  readonly method: string;
  readonly exchange: Exchange;
  readonly #handOver: (light: LightRequest) => void;
  #full: Request | undefined;
  #answer: Answer | undefined;
  #later: PromiseWithResolvers<Response> | undefined;

  /** `handOver` must call `takeOver` before it returns. */
  constructor(url: string, exchange: Exchange, handOver: (light: LightRequest) => void) {
    this.url = url;
    this.method = exchange.incoming.method ?? '';
    this.exchange = exchange;
    this.#handOver = handOver;
  }

  /** A GET that is answered before anything else was read of it. */
  get takesWhole(): boolean {
    return this.method === 'GET' && this.#full === undefined;
  }

  /** Gets the full request from the server that makes it, and returns what that server shall answer. */
  takeOver(full: Request): Answer {
    this.#full = full;
    if (this.#answer !== undefined) return this.#answer;
    this.#later = Promise.withResolvers();
    return this.#later.promise;
  }

  /** Leaves the answer to the other server. */
  answerWith(given: Answer): void {
    const answer = given instanceof Promise ? given.then(toResponse) : toResponse(given);
    this.#answer = answer;
    if (this.#later) this.#later.resolve(answer);
    else this.#handOver(this);
  }

  get headers(): Headers {
    return this.#whole.headers;
  }

  get signal(): AbortSignal {
    return this.#whole.signal;
  }

  get body(): Request['body'] {
    return this.#whole.body;
  }

  get bodyUsed(): boolean {
    return this.#whole.bodyUsed;
  }

  text(): Promise<string> {
    return this.#whole.text();
  }

  json(): Promise<unknown> {
    return this.#whole.json();
  }

  arrayBuffer(): Promise<ArrayBuffer> {
    return this.#whole.arrayBuffer();
  }

  bytes(): Promise<Uint8Array<ArrayBuffer>> {
    return this.#whole.bytes();
  }

  blob(): Promise<Blob> {
    return this.#whole.blob();
  }

  formData(): Promise<FormData> {
    return this.#whole.formData();
  }

  clone(): Request {
    return this.#whole.clone();
  }

  get #whole(): Request {
    if (this.#full === undefined) this.#handOver(this);
    return this.#full as Request;
  }
}
