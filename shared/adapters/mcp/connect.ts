import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import type { SafeFetch } from '../../kernel/safe-fetch.ts';
import type { SentCredentials } from '../../sources/send-credentials.ts';
import type { Post } from './ordinary-call.ts';

/** What a connection tells, and whom it asks. */
export interface ConnectionEvents {
  /** The upstream says that its list of tools has changed. */
  readonly changed: () => void;
  readonly closed: () => void;
  /** Answers a question of the upstream; where nobody can be asked, by cancelling it. */
  readonly ask: (params: Readonly<Record<string, unknown>>) => Promise<{ action: 'accept' | 'decline' | 'cancel' }>;
}

/** An open connection: the package's client, and over HTTP the way to send a message without it. */
export interface Connected {
  readonly client: Client;
  readonly post?: Post;
}

export type Connect = (events: ConnectionEvents) => Promise<Connected>;

/** Who calls, as every request of the stateless protocol says it. */
export const clientInfo = { name: 'assay', version: '1' };
/** Declared by all: some servers list tools that ask only to clients that can be asked. */
export const clientCapabilities = { elicitation: { form: {}, url: {} } };

export interface HttpAddress {
  readonly url: string;
  readonly fetch: SafeFetch;
  /** Read for every request: a secret may have been replaced since. */
  readonly credentials: () => Promise<SentCredentials>;
  /** Whether to keep a stream open that tells of changed lists: for processes that live long. */
  readonly follows: boolean;
}

/** A command of the operator's configuration; a request can never name one. */
export interface StdioCommand {
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly cwd?: string | undefined;
}

const CONNECT_MS = 15_000;
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;
const MAX_ANSWER_MS = 910_000;

/** Connects by streamable HTTP; `server/discover` tells the generation, and the earlier handshake follows where it fails. */
export const connectHttp =
  ({ url, fetch, credentials, follows }: HttpAddress): Connect =>
  async (events) => {
    const send = async (to: string | URL, init: RequestInit = {}): Promise<Response> => {
      const isStream = init.method === 'GET';
      if (isStream && !follows) return new Response(null, { status: 405 });
      const all = new Headers(init.headers);
      const { headers, query } = await credentials();
      for (const [name, value] of Object.entries(headers)) all.set(name, value);
      const limits = { maxBytes: MAX_ANSWER_BYTES, timeoutMs: isStream ? undefined : MAX_ANSWER_MS };
      return fetch(withQuery(to, query), { ...init, headers: all }, limits);
    };
    const limits = { maxBytes: MAX_ANSWER_BYTES, timeoutMs: MAX_ANSWER_MS };
    const post: Post = async (body, given, signal) => {
      const { headers, query } = await credentials();
      return fetch(withQuery(url, query), { method: 'POST', body, signal, headers: { ...given, ...headers } }, limits);
    };
    const transport = new StreamableHTTPClientTransport(new URL(url), { fetch: send });
    return { client: await connectClient(transport, events, follows), post };
  };

const withQuery = (url: string | URL, query: SentCredentials['query']): string | URL => {
  const entries = Object.entries(query);
  if (entries.length === 0) return url;
  const to = new URL(url);
  for (const [name, value] of entries) to.searchParams.set(name, value);
  return to;
};

/** Starts a command and speaks to it; it ends with the connection. */
export const connectStdio =
  ({ command, args = [], env = {}, cwd }: StdioCommand): Connect =>
  async (events) => {
    // Loaded by those who have such a source: it brings node:child_process.
    const { StdioClientTransport, getDefaultEnvironment } = await import('@modelcontextprotocol/client/stdio');
    const transport = new StdioClientTransport({
      command,
      args: [...args],
      env: { ...getDefaultEnvironment(), ...env },
      stderr: 'ignore',
      maxBufferSize: MAX_ANSWER_BYTES,
      cwd,
    });
    return { client: await connectClient(transport, events, true) };
  };

const connectClient = async (transport: Transport, events: ConnectionEvents, follows: boolean): Promise<Client> => {
  const { ask, changed, closed } = events;
  const client = new Client(clientInfo, {
    capabilities: clientCapabilities,
    versionNegotiation: { mode: 'auto' },
    listChanged: follows ? { tools: { autoRefresh: false, onChanged: changed } } : undefined,
  });
  client.setRequestHandler('elicitation/create', ({ params }) => ask(params as Record<string, unknown>));
  client.onclose = closed;
  // Errors of streams that nobody waits for; what a call needs to know it is told itself.
  client.onerror = () => {};
  try {
    await client.connect(transport, { timeout: CONNECT_MS });
    return client;
  } catch (error) {
    await client.close().catch(() => {});
    throw error;
  }
};
