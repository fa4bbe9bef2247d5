import type { Readable, Writable } from 'node:stream';
import { isObject } from '../../shared/kernel/json.ts';

const MODERN_VERSION = 'io.modelcontextprotocol/protocolVersion';
/** A longer line is refused: the API accepts bodies of 4 MB. */
const MAX_LINE = 5_000_000;
const DRAIN_MS = 10_000;

/** Sends one request to `/mcp` of a registry, in this process or on a server. */
export type SendMcp = (init: RequestInit) => Promise<Response>;

type Message = Readonly<Record<string, unknown>>;

/**
 * Serves MCP over stdin and stdout. Each line is a message that is posted to the registry's HTTP endpoint, so both
 * protocol generations, elicitation and tasks work as over HTTP.
 */
export const bridgeStdio = async (input: Readable, output: Writable, send: SendMcp): Promise<void> => {
  const bridge = createBridge(send, (message) => void output.write(`${JSON.stringify(message)}\n`));
  for await (const line of readLines(input)) bridge.take(line);
  await bridge.drain();
};

interface Bridge {
  take(line: string | undefined): void;
  drain(): Promise<void>;
}

const createBridge = (send: SendMcp, write: (message: unknown) => void): Bridge => {
  const running = new Map<unknown, AbortController>();
  const open = new Set<Promise<void>>();
  /** The session and version that an earlier protocol negotiated. */
  const session: { id?: string; version?: string } = {};

  const post = async (message: Message, text: string, signal: AbortSignal): Promise<void> => {
    try {
      const response = await send({ method: 'POST', headers: headersFor(message, session), body: text, signal });
      session.id = response.headers.get('mcp-session-id') ?? session.id;
      for await (const answer of readMessages(response)) {
        if (message.method === 'initialize') session.version = versionOf(answer) ?? session.version;
        if (isRpc(answer)) write(answer);
        else if (message.id !== undefined) write(refusalOf(message.id, answer));
      }
    } catch (thrown) {
      if (signal.aborted || message.id === undefined) return;
      const why = `the registry did not answer: ${(thrown as Error).message}; is it running, and is --url right?`;
      write(errorFor(message.id, -32_000, why));
    }
  };

  return {
    take(line) {
      const message = line === undefined ? undefined : parse(line);
      if (line === undefined || !isObject(message)) {
        const why = line === undefined ? `a message may have ${MAX_LINE} characters` : 'the line is not a JSON object';
        write(errorFor(null, line === undefined ? -32_600 : -32_700, why));
        return;
      }
      if (message.method === 'notifications/cancelled' && isObject(message.params))
        running.get(message.params.requestId)?.abort();
      const abort = new AbortController();
      const isCall = message.method !== undefined && message.id !== undefined;
      if (isCall) running.set(message.id, abort);
      const done = post(message, line, abort.signal).finally(() => {
        if (isCall) running.delete(message.id);
        open.delete(done);
      });
      open.add(done);
    },
    async drain() {
      const timer = setTimeout(() => {
        for (const abort of running.values()) abort.abort();
      }, DRAIN_MS);
      await Promise.allSettled(open);
      clearTimeout(timer);
    },
  };
};

const headersFor = (message: Message, session: { readonly id?: string; readonly version?: string }) => {
  const headers: Record<string, string> = {
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
  };
  const params = isObject(message.params) ? message.params : {};
  const version = isObject(params._meta) ? params._meta[MODERN_VERSION] : undefined;
  if (typeof version === 'string') {
    headers['mcp-protocol-version'] = version;
    headers['mcp-method'] = String(message.method);
    const name = params.name ?? params.uri;
    if (typeof name === 'string') headers['mcp-name'] = headerText(name);
    return headers;
  }
  if (session.version !== undefined) headers['mcp-protocol-version'] = session.version;
  if (session.id !== undefined) headers['mcp-session-id'] = session.id;
  return headers;
};

/** Characters that a header cannot contain are encoded as the protocol specifies. */
const headerText = (text: string): string =>
  /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text) ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`;

/** The lines of a stream; undefined for one that is too long. */
async function* readLines(input: Readable): AsyncGenerator<string | undefined> {
  let rest = '';
  let isSkipped = false;
  input.setEncoding('utf8');
  for await (const part of input) {
    const lines = (rest + String(part)).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (!isSkipped && line.trim() !== '') yield line.length > MAX_LINE ? undefined : line;
      isSkipped = false;
    }
    if (rest.length > MAX_LINE) {
      if (!isSkipped) yield undefined;
      isSkipped = true;
      rest = '';
    }
  }
  if (!isSkipped && rest.trim() !== '') yield rest;
}

/** The messages of a response: one JSON value, or server-sent events. */
async function* readMessages(response: Response): AsyncGenerator<unknown> {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) {
    const text = await response.text();
    if (text !== '') yield parse(text) ?? { error: { message: `HTTP ${response.status}` } };
    return;
  }
  let rest = '';
  for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const events = (rest + part).split(/\r?\n\r?\n/);
    rest = events.pop() ?? '';
    for (const event of events) {
      const data = event
        .split(/\r?\n/)
        .filter((line) => line.startsWith('data:'))
        .map((line) => line.slice(5).trimStart())
        .join('\n');
      if (data !== '') yield parse(data);
    }
  }
}

const isRpc = (value: unknown): boolean => Array.isArray(value) || (isObject(value) && value.jsonrpc === '2.0');

/** An API error as a JSON-RPC error. */
const refusalOf = (id: unknown, answer: unknown) => {
  const error = isObject(answer) && isObject(answer.error) ? answer.error : {};
  const { code = 'Internal', message = 'the registry refused the message' } = error;
  return { ...errorFor(id, -32_000, `${code}: ${message}`) };
};

const errorFor = (id: unknown, code: number, message: string) => ({ jsonrpc: '2.0', id, error: { code, message } });

const versionOf = (answer: unknown): string | undefined => {
  const result = isObject(answer) && isObject(answer.result) ? answer.result : {};
  return typeof result.protocolVersion === 'string' ? result.protocolVersion : undefined;
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
