import { AwsClient } from 'aws4fetch';
import { Fault, messageOf } from '../../kernel/errors.ts';

export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

interface Options {
  readonly functionName: string;
  readonly region: string;
  /** Asked each time, as they are renewed while a function lives. */
  readonly credentials: () => Credentials;
  readonly endpoint?: string | undefined;
}

/** Invokes a Lambda function asynchronously; Lambda retries it on failure. */
export const invokeFunction = (options: Options): ((payload: unknown) => Promise<void>) => {
  const { functionName, region, credentials } = options;
  const endpoint = options.endpoint ?? `https://lambda.${region}.amazonaws.com`;
  const url = `${endpoint}/2015-03-31/functions/${encodeURIComponent(functionName)}/invocations`;
  const headers = { 'x-amz-invocation-type': 'Event', 'content-type': 'application/json' };
  return async (payload) => {
    const client = new AwsClient({ ...credentials(), region, service: 'lambda', retries: 3 });
    const response = await client
      .fetch(url, { method: 'POST', headers, body: JSON.stringify(payload) })
      .catch((cause: unknown) => {
        const why = `the function ${functionName} cannot be reached: ${messageOf(cause)}`;
        throw new Fault('Unavailable', why, {}, { cause });
      });
    if (response.status === 202) return;
    const said = (await response.text()).slice(0, 500);
    throw new Fault('Unavailable', `the function ${functionName} was not started: ${response.status} ${said}`, {
      status: response.status,
    });
  };
};
