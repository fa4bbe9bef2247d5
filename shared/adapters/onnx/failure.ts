import { Fault, messageOf } from '../../kernel/errors.ts';
import type { Failure } from './messages.ts';

/** An error as plain data, for the way out of a worker. */
export function toFailure(thrown: unknown): Failure {
  if (thrown instanceof Fault) {
    return { code: thrown.code, message: thrown.message, details: thrown.details };
  }
  const stack = thrown instanceof Error ? thrown.stack : undefined;
  return { message: messageOf(thrown), stack };
}

/** A worker's failure as the caller shall see it: its own refusal, or a ToolExecutionError of the tool. */
export function fromFailure(failure: Failure, what: string): Fault {
  const cause = new Error(failure.message);
  if (failure.stack !== undefined) cause.stack = failure.stack;
  if (failure.code) return new Fault(failure.code, failure.message, failure.details, { cause });
  return new Fault('ToolExecutionError', `${what} failed: ${failure.message}`, {}, { cause });
}
