import { AwsClient } from 'aws4fetch';
import type { LambdaAccess } from './lambda-upstream.ts';

const XRAY = /^https:\/\/xray\.([a-z0-9-]+)\.amazonaws\.com(\.cn)?\//;

/** Signs what goes to X-Ray's OTLP endpoint; other endpoints get it as it is. */
export const signTraces =
  (credentials: LambdaAccess['credentials']) =>
  (url: string, init: RequestInit): Promise<Response> => {
    const region = XRAY.exec(url)?.[1];
    if (region === undefined) return fetch(url, init);
    // The keys of a function change while it lives. The exporter itself decides what is sent again.
    return new AwsClient({ ...credentials(), service: 'xray', region, retries: 0 }).fetch(url, init);
  };
