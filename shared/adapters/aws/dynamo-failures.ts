import type { CancellationReason } from '@aws-sdk/client-dynamodb';
import { Fault } from '../../kernel/errors.ts';
import { awsFault, isNamed } from './aws-failures.ts';

/** Whether a concurrent write won, so that a retry of the change helps. */
export function isLostRace(thrown: unknown): boolean {
  if (isNamed(thrown, 'TransactionCanceledException')) {
    const { CancellationReasons: reasons = [] } = thrown as { readonly CancellationReasons?: CancellationReason[] };
    return reasons.every(({ Code = 'None' }) => passing.has(Code));
  }
  return isNamed(thrown, 'ConditionalCheckFailedException', 'TransactionConflictException');
}

const passing: ReadonlySet<string> = new Set([
  'None',
  'ConditionalCheckFailed',
  'TransactionConflict',
  'ThrottlingError',
  'ProvisionedThroughputExceeded',
]);

/** Converts a failure of DynamoDB to a fault; returns anything else unchanged. */
export function dynamoFault(thrown: unknown, tableName: string): unknown {
  if (isNamed(thrown, 'ValidationException') && /item size/i.test(thrown.message))
    return new Fault('TooLarge', `an item has at most 400 KB: ${thrown.message}`, {}, { cause: thrown });
  return awsFault(thrown, `table ${tableName}`, { table: tableName });
}
