import { PlainHeaders } from '../api/lambda/plain-headers.ts';
import { readFault } from '../client/read-fault.ts';

/** Sends requests to the API; an error response is thrown as the same Fault. */
export interface ApiClient {
  json<T = unknown>(method: string, path: string, body?: unknown): Promise<T>;
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** Uploads bytes to a signed URL, without the API key. */
  put(url: string, init: RequestInit): Promise<Response>;
  close(): Promise<void>;
}

interface Transport {
  readonly send: (path: string, init: RequestInit) => Response | Promise<Response>;
  readonly key: string;
  readonly tenant?: string | undefined;
  readonly close?: () => Promise<void>;
}

export const createClient = ({ send, key, tenant, close = async () => {} }: Transport): ApiClient => {
  const fetch = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const headers = new PlainHeaders(init.headers);
    headers.set('authorization', `Bearer ${key}`);
    if (tenant !== undefined) headers.set('assay-tenant', tenant);
    return send(path, { ...init, headers });
  };
  return {
    fetch,
    close,
    put: async (url, init) => send(url, init),
    async json<T>(method: string, path: string, body?: unknown): Promise<T> {
      const init =
        body === undefined
          ? { method }
          : { method, body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
      const response = await fetch(path, init);
      if (!response.ok) throw await readFault(response);
      return (response.status === 204 ? undefined : await response.json()) as T;
    },
  };
};
