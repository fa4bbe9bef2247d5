import {
  ConditionalCheckFailedException,
  TransactionCanceledException,
  TransactionConflictException,
} from '@aws-sdk/client-dynamodb';
import { Fault, messageOf } from '../../kernel/errors.ts';

/** Whether a concurrent write won, so that reading and deciding again helps. */
export function isLostRace(thrown: unknown): boolean {
  if (thrown instanceof TransactionCanceledException)
    return (thrown.CancellationReasons ?? []).every(({ Code = 'None' }) => passing.has(Code));
  return thrown instanceof ConditionalCheckFailedException || thrown instanceof TransactionConflictException;
}

const passing: ReadonlySet<string> = new Set([
  'None',
  'ConditionalCheckFailed',
  'TransactionConflict',
  'ThrottlingError',
  'ProvisionedThroughputExceeded',
]);

/** A failure of DynamoDB as a fault; anything else as it is. */
export function dynamoFault(thrown: unknown, tableName: string): unknown {
  if (!(thrown instanceof Error)) return thrown;
  if (thrown.name === 'ValidationException' && /item size/i.test(thrown.message))
    return new Fault('TooLarge', `an item has at most 400 KB: ${thrown.message}`, {}, { cause: thrown });
  const reason = unavailable[thrown.name] ?? (isUnreachable(thrown) ? 'cannot be reached; try again' : undefined);
  if (reason === undefined) return thrown;
  const details = { table: tableName };
  return new Fault('Unavailable', `table ${tableName} ${reason}: ${messageOf(thrown)}`, details, { cause: thrown });
}

// The SDK has already retried where that could help.
const unavailable: Readonly<Record<string, string>> = {
  ProvisionedThroughputExceededException: 'has no throughput left; try again',
  ThrottlingException: 'is throttled; try again',
  RequestLimitExceeded: 'is throttled; try again',
  InternalServerError: 'failed; try again',
  ServiceUnavailable: 'is not available; try again',
  TimeoutError: 'did not answer in time; try again',
  ResourceNotFoundException: 'does not exist; create it or name another',
  AccessDeniedException: 'may not be used; grant the permission',
  UnrecognizedClientException: 'refuses the credentials; check them',
  ExpiredTokenException: 'refuses the credentials; renew them',
  CredentialsProviderError: 'needs credentials; configure them',
};

const isUnreachable = (thrown: Error): boolean =>
  'code' in thrown && /^(ECONN|ENOTFOUND|EPIPE|ETIMEDOUT|EAI_AGAIN|EHOSTUNREACH)/.test(String(thrown.code));
