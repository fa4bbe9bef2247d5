import { PlainHeaders } from './plain-headers.ts';

type PlainBody = string | Uint8Array<ArrayBuffer> | null;

const TYPE = 'content-type';
/** Statuses without a body. */
const EMPTY = new Set([204, 205, 304]);
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/**
 * A response that does not load fetch as long as its body is text, bytes or empty and is read as text or not at all.
 * Other bodies, and other ways of reading, are delegated to a real request, which accepts and reads the same bodies.
 */
export class PlainResponse implements Partial<Response> {
  readonly #body: PlainBody;
  readonly #status: number;
  readonly #statusText: string;
  readonly #headers: PlainHeaders;
  #carrier: Request | undefined;
  /** Whether the body was read without a carrier. */
  #isRead = false;

  constructor(body: BodyInit | null = null, { status = 200, statusText = '', headers }: ResponseInit = {}) {
    if (!(status >= 200 && status <= 599)) throw new RangeError(`status ${status} is not in the range of 200 to 599`);
    if (body !== null && EMPTY.has(status)) throw new TypeError(`a response of status ${status} has no body`);
    this.#status = status;
    this.#statusText = statusText;
    this.#headers = new PlainHeaders(headers);
    this.#body = isPlain(body) ? body : null;
    if (!isPlain(body)) this.#carrier = carry(body);
    const type = typeof body === 'string' ? 'text/plain;charset=UTF-8' : this.#carrier?.headers.get(TYPE);
    if (type && !this.#headers.has(TYPE)) this.#headers.set(TYPE, type);
  }

  /** Responses of `fetch` are instances too. */
  static [Symbol.hasInstance](value: unknown): boolean {
    return Object.prototype.toString.call(value) === '[object Response]';
  }

  static json(value: unknown, init: ResponseInit = {}): Response {
    const headers = new PlainHeaders(init.headers);
    if (!headers.has(TYPE)) headers.set(TYPE, 'application/json');
    return asResponse(new PlainResponse(JSON.stringify(value), { ...init, headers }));
  }

  static redirect(url: string | URL, status = 302): Response {
    if (!REDIRECTS.has(status)) throw new RangeError(`status ${status} is no redirect`);
    return asResponse(new PlainResponse(null, { status, headers: { location: new URL(url).href } }));
  }

  /** The body of a response, if it is known without reading it. */
  static bodyOf(response: Response): PlainBody | undefined {
    const asPlain: object = response;
    return #body in asPlain && !asPlain.#carrier && !asPlain.#isRead ? asPlain.#body : undefined;
  }

  get [Symbol.toStringTag](): string {
    return 'Response';
  }

  get status(): number {
    return this.#status;
  }

  get statusText(): string {
    return this.#statusText;
  }

  get ok(): boolean {
    return this.#status < 300;
  }

  get headers(): Headers {
    return this.#headers;
  }

  get redirected(): boolean {
    return false;
  }

  get type(): ResponseType {
    return 'default';
  }

  get url(): string {
    return '';
  }

  get body(): Response['body'] {
    return this.#isEmpty ? null : this.#whole.body;
  }

  get bodyUsed(): boolean {
    return this.#carrier?.bodyUsed ?? this.#isRead;
  }

  async text(): Promise<string> {
    if (this.#carrier || this.#isRead) return this.#whole.text();
    this.#isRead = this.#body !== null;
    // As its bytes are read again.
    return typeof this.#body === 'string'
      ? this.#body.toWellFormed().replace(/^\uFEFF/, '')
      : new TextDecoder().decode(this.#body ?? undefined);
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text());
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    return this.#whole.arrayBuffer();
  }

  async bytes(): Promise<Uint8Array<ArrayBuffer>> {
    return this.#whole.bytes();
  }

  async blob(): Promise<Blob> {
    return this.#whole.blob();
  }

  async formData(): Promise<FormData> {
    return this.#whole.formData();
  }

  clone(): Response {
    this.#refuseRead();
    const init = { status: this.#status, statusText: this.#statusText, headers: this.#headers };
    return asResponse(new PlainResponse(this.#carrier ? this.#carrier.clone().body : this.#body, init));
  }

  get #isEmpty(): boolean {
    return this.#carrier === undefined && this.#body === null;
  }

  #refuseRead(): void {
    if (this.#isRead) throw new TypeError('Body is unusable: Body has already been read');
  }

  get #whole(): Request {
    this.#refuseRead();
    this.#carrier ??= carry(this.#body, this.#headers.get(TYPE) ?? undefined);
    return this.#carrier;
  }
}

/**
 * Makes `new Response` create plain ones in this process. It is assigned, because even reading the descriptor of Node's
 * own loads fetch.
 */
export const installPlainResponse = (): void => {
  globalThis.Response = PlainResponse as unknown as typeof Response;
};

const asResponse = (plain: PlainResponse): Response => plain as unknown as Response;

const isPlain = (body: BodyInit | null): body is PlainBody =>
  body === null || typeof body === 'string' || body instanceof Uint8Array;

const carry = (body: BodyInit | null, type?: string): Request => {
  const headers = new PlainHeaders(type === undefined ? [] : [[TYPE, type]]);
  // Required for streams.
  const halfDuplex = { duplex: 'half' };
  return new Request('http://localhost', { method: 'POST', body, headers: [...headers], ...halfDuplex });
};
