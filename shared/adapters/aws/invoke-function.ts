import { Fault, messageOf } from '../../kernel/errors.ts';
import { type AwsAccess, awsClient, hostOf } from './aws-client.ts';
import { boundsOf } from './client-settings.ts';

interface Options extends AwsAccess {
  readonly functionName: string;
  readonly endpoint?: string | undefined;
  /** Overrides the timeout of the service. */
  readonly answerMs?: number;
}

/** Invokes a Lambda function asynchronously; Lambda retries it on failure. */
export const invokeFunction = (options: Options): ((payload: unknown) => Promise<void>) => {
  const { functionName, region, credentials, endpoint } = options;
  const bounds = boundsOf('functions');
  const send = awsClient({
    service: 'lambda',
    region,
    credentials,
    url: new URL(endpoint ?? `https://lambda.${hostOf(region)}`),
    read: () => undefined,
    bounds: { ...bounds, answerMs: options.answerMs ?? bounds.answerMs },
  });
  const path = `/2015-03-31/functions/${encodeURIComponent(functionName)}/invocations`;
  const headers = { 'x-amz-invocation-type': 'Event', 'content-type': 'application/json' };
  return async (payload) => {
    try {
      await send({ path, headers, body: JSON.stringify(payload) });
    } catch (cause) {
      const { status } = cause as { readonly status?: number };
      const what = status === undefined ? 'cannot be reached' : `was not started: ${status}`;
      const why = `the function ${functionName} ${what} ${messageOf(cause).slice(0, 500)}`;
      throw new Fault('Unavailable', why, { status }, { cause });
    }
  };
};
