import { Fault, type FaultDetails, messageOf } from '../../kernel/errors.ts';
import { isObject } from '../../kernel/json.ts';
import type { Answered } from './send-text.ts';

/** The error of a response, with its fields: a failed condition has the item, a cancelled transaction its reasons. */
export const jsonRefusal = ({ status, text, headers }: Answered): Error => {
  const body = parsed(text);
  const type = [body.__type, headers['x-amzn-errortype']].find((each) => typeof each === 'string');
  const name = typeof type === 'string' ? shortName(type) : nameOf(status);
  const message = body.message ?? body.Message;
  const error = new Error(typeof message === 'string' ? message : `${name}, status ${status}`);
  return Object.assign(error, { ...body, message: error.message, name, status });
};

// com.amazonaws.dynamodb.v20120810#ThrottlingException:http://internal.amazon.com/...
const shortName = (type: string): string => type.slice(type.lastIndexOf('#') + 1).split(':')[0] ?? '';

// A proxy in front of a service answers without JSON.
const nameOf = (status: number): string => (status >= 500 ? 'ServiceUnavailable' : `Status${status}`);

const parsed = (text: string): Readonly<Record<string, unknown>> => {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
};

/** Whether an error of AWS has one of the names, from the SDK or from our own client. */
export const isNamed = (thrown: unknown, ...names: readonly string[]): thrown is Error =>
  thrown instanceof Error && names.includes(thrown.name);

const THROTTLED: ReadonlySet<string> = new Set([
  'LimitExceededException',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'RequestThrottledException',
  'SlowDown',
  'Throttling',
  'ThrottlingException',
  'TooManyRequestsException',
]);

export const isThrottled = (thrown: Error): boolean => THROTTLED.has(thrown.name) || statusOf(thrown) === 429;

/** Whether a retry may succeed. */
export const isPassing = (thrown: Error): boolean =>
  isThrottled(thrown) || thrown.name === 'TimeoutError' || statusOf(thrown) >= 500 || isUnreachable(thrown);

const isUnreachable = (thrown: Error): boolean => {
  const code = 'code' in thrown ? String(thrown.code) : '';
  return /^(ECONN|ENOTFOUND|EPIPE|ETIMEDOUT|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|EPROTO)/.test(code);
};

/** The status of a response, from the SDK or from our own client; 0 if there was none. */
const statusOf = (thrown: Error): number => {
  const { status, $metadata } = thrown as { status?: unknown; $metadata?: { httpStatusCode?: unknown } };
  return Number(status ?? $metadata?.httpStatusCode ?? 0);
};

/** Converts a failure of a service to a fault with the resource and the cure; returns anything else unchanged. */
export const awsFault = (thrown: unknown, what: string, details: FaultDetails = {}): unknown => {
  if (!(thrown instanceof Error) || thrown instanceof Fault) return thrown;
  const reason = REASONS[thrown.name] ?? generalReason(thrown);
  if (reason === undefined) return thrown;
  return new Fault('Unavailable', `${what} ${reason}: ${messageOf(thrown)}`, details, { cause: thrown });
};

const generalReason = (thrown: Error): string | undefined => {
  if (isUnreachable(thrown)) return 'cannot be reached; try again';
  if (isThrottled(thrown)) return 'is throttled; try again';
  return statusOf(thrown) >= 500 ? 'failed; try again' : undefined;
};

// The client has already retried where that could help.
const REASONS: Readonly<Record<string, string>> = {
  ProvisionedThroughputExceededException: 'has no throughput left; try again',
  ServiceUnavailable: 'is not available; try again',
  TimeoutError: 'did not answer in time; try again',
  ResourceNotFoundException: 'does not exist; create it or name another',
  NoSuchBucket: 'does not exist; create it or name another',
  AccessDenied: 'may not be used; grant the permission',
  AccessDeniedException: 'may not be used; grant the permission',
  UnrecognizedClientException: 'refuses the credentials; check them',
  InvalidAccessKeyId: 'refuses the credentials; check them',
  InvalidClientTokenId: 'refuses the credentials; check them',
  MissingAuthenticationTokenException: 'needs credentials; configure them',
  CredentialsProviderError: 'needs credentials; configure them',
  ExpiredToken: 'refuses the credentials; renew them',
  ExpiredTokenException: 'refuses the credentials; renew them',
  SignatureDoesNotMatch: 'refuses the signature; check credentials and clock',
  InvalidSignatureException: 'refuses the signature; check credentials and clock',
  RequestTimeTooSkewed: 'refuses the signature; set the clock right',
};
