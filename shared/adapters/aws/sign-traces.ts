import type { AwsAccess } from './aws-client.ts';
import { signedFetch } from './signed-fetch.ts';

const XRAY = /^https:\/\/xray\.([a-z0-9-]+)\.amazonaws\.com(\.cn)?\//;

/** Signs requests to X-Ray's OTLP endpoint; requests to other endpoints stay unsigned. */
export const signTraces =
  (credentials: AwsAccess['credentials']) =>
  (url: string, init: RequestInit): Promise<Response> => {
    const region = XRAY.exec(url)?.[1];
    if (region === undefined) return fetch(url, init);
    const headers = Object.fromEntries(new Headers(init.headers));
    // The exporter decides about retries.
    return signedFetch('xray', { region, credentials })(url, { headers, body: String(init.body), signal: init.signal });
  };
