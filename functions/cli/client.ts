import { Fault, type FaultCode, statusOf } from '../../shared/kernel/errors.ts';
import { isObject } from '../../shared/kernel/json.ts';

/** Speaks to the API; a refusal comes back as the Fault it was. */
export interface ApiClient {
  json<T = unknown>(method: string, path: string, body?: unknown): Promise<T>;
  fetch(path: string, init?: RequestInit): Promise<Response>;
  close(): Promise<void>;
}

interface Transport {
  readonly send: (path: string, init: RequestInit) => Response | Promise<Response>;
  readonly key: string;
  readonly tenant?: string;
  readonly close?: () => Promise<void>;
}

export const createClient = ({ send, key, tenant, close = async () => {} }: Transport): ApiClient => {
  const fetch = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const headers = new Headers(init.headers);
    headers.set('authorization', `Bearer ${key}`);
    if (tenant !== undefined) headers.set('assay-tenant', tenant);
    return send(path, { ...init, headers });
  };
  return {
    fetch,
    close,
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

export const readFault = async (response: Response): Promise<Fault> => {
  const body: unknown = await response.json().catch(() => undefined);
  const error = isObject(body) && isObject(body.error) ? body.error : {};
  const code = typeof error.code === 'string' && error.code in statusOf ? (error.code as FaultCode) : 'Internal';
  const details = isObject(error.details) ? error.details : {};
  return new Fault(
    code,
    typeof error.message === 'string' ? error.message : `the server answered ${response.status}`,
    details,
  );
};
