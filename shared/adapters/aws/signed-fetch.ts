import type { AwsAccess } from './aws-client.ts';
import { signRequest } from './sign-request.ts';

interface Init {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal?: AbortSignal | null | undefined;
}

/** Posts to a service with the signature of the moment, once: whoever asks decides about time and tries. */
export const signedFetch =
  (service: string, { region, credentials }: AwsAccess) =>
  (address: string, { headers, body, signal }: Init): Promise<Response> => {
    const { host, pathname: path } = new URL(address);
    const request = { service, region, host, path, headers, body, credentials: credentials(), now: Date.now() };
    // fetch says the host itself.
    const { host: _, ...signed } = signRequest(request);
    return fetch(address, { method: 'POST', headers: signed, body, signal: signal ?? null });
  };
