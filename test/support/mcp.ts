import { Client, type ClientCapabilities, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { App } from '../../functions/api/env.ts';

export type Era = 'modern' | 'legacy';
export const eras: readonly Era[] = ['modern', 'legacy'];

interface Options {
  readonly era: Era;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly capabilities?: ClientCapabilities;
  /** Chooses which of several processes serves a request; the first by default. */
  readonly route?: (body: string) => App;
}

/** The official client, connected to the app in this process. */
export const connectClient = async (
  app: App,
  key: string,
  { era, path = '/mcp', headers = {}, capabilities = {}, route = () => app }: Options,
  prepare: (client: Client) => void = () => {},
): Promise<Client> => {
  const send = async (url: string | URL, init?: RequestInit): Promise<Response> =>
    route(String(init?.body ?? '')).fetch(new Request(url, init));
  const transport = new StreamableHTTPClientTransport(new URL(`http://localhost${path}`), {
    fetch: send,
    requestInit: { headers: { authorization: `Bearer ${key}`, ...headers } },
  });
  const mode = era === 'modern' ? { pin: '2026-07-28' } : ('legacy' as const);
  const client = new Client({ name: 'test', version: '1.0.0' }, { capabilities, versionNegotiation: { mode } });
  prepare(client);
  await client.connect(transport);
  return client;
};

/** The text of a result's first content block. */
export const textOf = (result: { readonly content?: unknown }): string => {
  const [block] = (result.content ?? []) as readonly { readonly text?: string }[];
  return block?.text ?? '';
};
