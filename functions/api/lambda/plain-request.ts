import type { PlainHeaders } from './plain-headers.ts';

interface Sent {
  readonly url: string;
  readonly method: string;
  readonly headers: PlainHeaders;
  readonly body: Uint8Array<ArrayBuffer> | undefined;
}

/**
 * A request that arrived whole in an event. It implements what handlers usually need; the rest is delegated to a real
 * request, which loads all of fetch.
 */
export class PlainRequest implements Partial<Request> {
  readonly #sent: Sent;
  #real: Request | undefined;
  #signal: AbortSignal | undefined;

  constructor(sent: Sent) {
    this.#sent = sent;
  }

  /** The same request with another address. */
  static at(request: Request, url: URL): Request {
    const asPlain: object = request;
    return #sent in asPlain
      ? (new PlainRequest({ ...asPlain.#sent, url: url.href }) as unknown as Request)
      : new Request(url, request);
  }

  get url(): string {
    return this.#sent.url;
  }

  get method(): string {
    return this.#sent.method;
  }

  get headers(): Headers {
    return this.#sent.headers;
  }

  /** Lambda does not report that a caller disconnected. */
  get signal(): AbortSignal {
    this.#signal ??= new AbortController().signal;
    return this.#signal;
  }

  get body(): Request['body'] {
    return this.#whole.body;
  }

  get bodyUsed(): boolean {
    return this.#real?.bodyUsed ?? false;
  }

  /** The body is in memory, so it can be read repeatedly. */
  async text(): Promise<string> {
    return new TextDecoder().decode(this.#sent.body);
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text());
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    return (await this.bytes()).buffer;
  }

  async bytes(): Promise<Uint8Array<ArrayBuffer>> {
    return new Uint8Array(this.#sent.body ?? []);
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
    const { url, method, headers, body } = this.#sent;
    this.#real ??= new Request(url, { method, headers: [...headers], ...(body && { body }) });
    return this.#real;
  }
}
