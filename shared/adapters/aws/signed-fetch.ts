import type { AwsAccess } from './aws-client.ts';
import { signRequest } from './sign-request.ts';

interface Init {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal?: AbortSignal | null | undefined;
}

/** Sends one signed request; its caller decides about timeout and retries. */
export const signedFetch =
  (service: string, { region, credentials }: AwsAccess) =>
  (address: string, { headers, body, signal }: Init): Promise<Response> => {
    const { host, pathname: path } = new URL(address);
    const request = { service, region, host, path, headers, body, credentials: credentials(), now: Date.now() };
    // fetch adds the host.
    const { host: _, ...signed } = signRequest(request);
    return fetch(address, { method: 'POST', headers: signed, body, signal: signal ?? null });
  };
