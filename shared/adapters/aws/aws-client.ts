import { setTimeout as wait } from 'node:timers/promises';
import { isPassing, isThrottled, jsonRefusal } from './aws-failures.ts';
import type { Bounds } from './client-settings.ts';
import { type Answered, sendText } from './send-text.ts';
import { serverTime } from './server-time.ts';
import { signRequest } from './sign-request.ts';

export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

/** The credentials and region of a function. */
export interface AwsAccess {
  readonly region: string;
  /** Read for each request, because they rotate while a function lives. */
  readonly credentials: () => Credentials;
}

/** Replaced by tests. */
export interface Timing {
  readonly pause?: ((ms: number) => Promise<unknown>) | undefined;
  readonly now?: (() => number) | undefined;
}

interface Options<T> extends AwsAccess, Timing {
  /** Its name in signatures. */
  readonly service: string;
  readonly url: URL;
  readonly bounds: Bounds;
  /** Parses a successful response; a text that it refuses was corrupted in transit. */
  readonly read: (text: string) => T;
  /** The error of any other response. */
  readonly refusalOf?: (answer: Answered) => Error;
  /** Whether a request is retried after an error. */
  readonly mayRepeat?: (thrown: Error) => boolean;
}

interface AwsRequest {
  readonly method?: 'GET' | 'POST';
  readonly path?: string;
  /** Encoded, sorted by name. */
  readonly query?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Sends signed requests to one address of AWS, with its timeouts and retries. */
export const awsClient = <T>(options: Options<T>): ((request: AwsRequest) => Promise<T>) => {
  const { service, region, credentials, url, bounds, read, pause = wait } = options;
  const { refusalOf = jsonRefusal, mayRepeat = isPassing } = options;
  const time = serverTime(options.now ?? Date.now);
  const send = sendText(url, bounds);
  const once = async ({ method = 'POST', path = '/', query = '', headers, body }: AwsRequest): Promise<T> => {
    const request = { method, path, query, service, region, host: url.host, headers, body };
    const signed = signRequest({ ...request, credentials: credentials(), now: time.now() });
    const answer = await send({ method, headers: signed, body, path: query === '' ? path : `${path}?${query}` });
    if (answer.status >= 200 && answer.status < 300) return unspoilt(() => read(answer.text));
    const isEarlyOrLate = answer.status < 500 && time.correct(answer.headers.date);
    throw Object.assign(refusalOf(answer), { isEarlyOrLate });
  };
  return async (request) => {
    for (let attempt = 1; ; attempt++)
      try {
        return await once(request);
      } catch (thrown) {
        if (!(thrown instanceof Error) || attempt >= bounds.attempts) throw thrown;
        const { isEarlyOrLate = false } = thrown as { readonly isEarlyOrLate?: boolean };
        if (isEarlyOrLate) continue;
        if (!mayRepeat(thrown)) throw thrown;
        await pause(Math.random() * (isThrottled(thrown) ? 500 : 50) * 2 ** attempt);
      }
  };
};

const unspoilt = <T>(read: () => T): T => {
  try {
    return read();
  } catch (cause) {
    throw Object.assign(new Error('the answer cannot be read', { cause }), { name: 'ServiceUnavailable', status: 502 });
  }
};

/** The end of host names in a region. */
export const hostOf = (region: string): string => `${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
