import { Fault, messageOf } from '../../kernel/errors.ts';
import { isObject } from '../../kernel/json.ts';
import type { ConfiguredFunction } from '../../sources/configured.ts';
import type { Upstream } from '../../sources/upstream.ts';
import { type AwsAccess, hostOf } from './aws-client.ts';
import { signedFetch } from './signed-fetch.ts';

export interface LambdaAccess extends AwsAccess {
  readonly endpoint?: string | undefined;
}

const MAX_MESSAGE = 500;

/** A Lambda function with its declared tools. It receives `{tool, arguments, tenant, call_id}` and returns JSON. */
export const lambdaUpstream = ({ function: name, tools }: ConfiguredFunction, access: LambdaAccess): Upstream => {
  const endpoint = access.endpoint ?? `https://lambda.${hostOf(access.region)}`;
  const url = `${endpoint}/2015-03-31/functions/${encodeURIComponent(name)}/invocations`;
  const post = signedFetch('lambda', access);
  const headers = { 'x-amz-invocation-type': 'RequestResponse', 'content-type': 'application/json' };
  return {
    list: async () => ({ tools, problems: [] }),
    async call(tool, args, { tenant, callId, signal }) {
      // No retry, because the function may have had its effect.
      const body = JSON.stringify({ tool, arguments: args, tenant, call_id: callId });
      const response = await post(url, { headers, body, signal }).catch((cause: unknown) => {
        throw new Fault('Unavailable', `the function cannot be reached: ${messageOf(cause)}`, {}, { cause });
      });
      // Lambda limits a response to 6 MB.
      const answer = parse(await response.text());
      if (!response.ok)
        throw new Fault('Unavailable', `the function was not run: ${response.status} ${errorMessage(answer)}`);
      if (response.headers.has('x-amz-function-error'))
        throw Object.assign(new Error(errorMessage(answer)), { name: 'UpstreamError' });
      return answer;
    },
  };
};

const parse = (text: string): unknown => {
  if (text === '') return null;
  try {
    return JSON.parse(text);
  } catch {
    throw new Fault('ToolExecutionError', 'the function answered what is no JSON');
  }
};

/** The error of a failed function, without its stack. */
const errorMessage = (answer: unknown): string => {
  const said = isObject(answer) ? (answer.errorMessage ?? answer.Message ?? answer.message) : undefined;
  return typeof said === 'string' ? said.slice(0, MAX_MESSAGE) : 'the function failed without a message';
};
