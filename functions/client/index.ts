import { hc } from 'hono/client';
import type { AppType } from '../api/client-type.ts';
import { readFault } from './read-fault.ts';

export { Fault, type FaultCode } from '../../shared/kernel/errors.ts';

export interface ClientOptions {
  /** The server's address, such as `http://127.0.0.1:8787`. */
  readonly url: string;
  readonly key: string;
  /** Another tenant than the key's own, which only an admin may choose. */
  readonly tenant?: string;
  /** The platform's own by default. */
  readonly fetch?: typeof fetch;
}

/** Every call of the API, typed by its inputs and answers. */
export type Client = ReturnType<typeof hc<AppType>>;

/** A client for an Assay server; a refusal is thrown as the same Fault as on the server. */
export const createClient = ({ url, key, tenant, fetch: send = fetch }: ClientOptions): Client => {
  const headers: Record<string, string> = { authorization: `Bearer ${key}` };
  if (tenant !== undefined) headers['assay-tenant'] = tenant;
  return hc<AppType>(url, {
    headers,
    fetch: async (input: RequestInfo | URL, init?: RequestInit) => {
      const response = await send(input, init);
      if (!response.ok) throw await readFault(response);
      return response;
    },
  });
};
