import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import type { SafeFetch } from '../../kernel/safe-fetch.ts';
import type { SentCredentials } from '../../sources/send-credentials.ts';
import type { Post } from './ordinary-call.ts';

/** The callbacks of a connection. */
export interface ConnectionEvents {
  /** The upstream's list of tools has changed. */
  readonly changed: () => void;
  readonly closed: () => void;
  /** Answers an elicitation of the upstream; cancels it if there is nobody to ask. */
  readonly ask: (params: Readonly<Record<string, unknown>>) => Promise<{ action: 'accept' | 'decline' | 'cancel' }>;
}

/** An open connection: the package's client and, over HTTP, a way to send a message without it. */
export interface Connected {
  readonly client: Client;
  readonly post?: Post;
}

export type Connect = (events: ConnectionEvents) => Promise<Connected>;

/** The client information in every request of the stateless protocol. */
export const clientInfo = { name: 'assay', version: '1' };
/** Always declared: some servers hide tools from clients without elicitation. */
export const clientCapabilities = { elicitation: { form: {}, url: {} } };

export interface HttpAddress {
  readonly url: string;
  readonly fetch: SafeFetch;
  /** Read for every request, because a secret may have been replaced. */
  readonly credentials: () => Promise<SentCredentials>;
  /** Whether to keep a stream open for list changes, in processes that live long. */
  readonly follows: boolean;
}

/** A command from the operator's configuration, never from a request. */
export interface StdioCommand {
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly cwd?: string | undefined;
}

const CONNECT_MS = 15_000;
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;
const MAX_ANSWER_MS = 910_000;

/** Connects by streamable HTTP: first with `server/discover`, then with the earlier handshake. */
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

/** Starts a command and connects to it; the command ends with the connection. */
export const connectStdio =
  ({ command, args = [], env = {}, cwd }: StdioCommand): Connect =>
  async (events) => {
    // Loaded only for such a source, because it needs node:child_process.
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
  // Errors of background streams; calls get their errors themselves.
  client.onerror = () => {};
  try {
    await client.connect(transport, { timeout: CONNECT_MS });
    return client;
  } catch (error) {
    await client.close().catch(() => {});
    throw error;
  }
};
