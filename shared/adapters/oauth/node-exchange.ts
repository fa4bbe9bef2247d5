import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';

/** A request and response of Node's HTTP server, without a connection. */
export interface NodeExchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The answer, once it has ended. */
  readonly answered: Promise<Response>;
}

/** Converts a web request for a handler of Node's HTTP server, addressed to `origin` whatever its own host. */
export const nodeExchange = (sent: Request, body: string, origin: string): NodeExchange => {
  const { pathname, search } = new URL(sent.url);
  const { host, protocol } = new URL(origin);
  const socket = Object.assign(new Socket(), { encrypted: protocol === 'https:' });
  const request = new IncomingMessage(socket);
  request.method = sent.method;
  request.url = pathname + search;
  request.headers = { ...Object.fromEntries(sent.headers), host };
  request.push(body === '' ? null : body);
  if (body !== '') request.push(null);
  const response = new CollectedResponse(request);
  return { request, response, answered: response.answered };
};

class CollectedResponse extends ServerResponse {
  readonly #chunks: Buffer[] = [];
  readonly #ended = Promise.withResolvers<Response>();
  readonly answered = this.#ended.promise;

  override write(chunk: string | Uint8Array): boolean {
    this.#chunks.push(Buffer.from(chunk as string));
    return true;
  }

  override end(chunk?: unknown): this {
    if (typeof chunk === 'string' || chunk instanceof Uint8Array) this.write(chunk);
    const headers = new Headers();
    for (const [name, value] of Object.entries(this.getHeaders()))
      for (const one of [value].flat()) if (one !== undefined) headers.append(name, String(one));
    const isBodiless = this.statusCode === 204 || this.statusCode === 304;
    const body = isBodiless ? null : Buffer.concat(this.#chunks);
    this.#ended.resolve(new Response(body, { status: this.statusCode, headers }));
    this.emit('finish');
    return this;
  }
}
