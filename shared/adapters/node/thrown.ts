import { messageOf } from '../../kernel/errors.ts';
import type { Thrown } from './child-pool.ts';

/** A thrown value as it is passed between processes. */
export const toThrown = (reason: unknown): Thrown => {
  if (!(reason instanceof Error)) return { name: 'Error', message: describeReason(reason) };
  return { name: reason.name, message: reason.message, stack: reason.stack };
};

/** The error it was. */
export const toError = ({ name, message, stack }: Thrown): Error => {
  const error = Object.assign(new Error(message), { name });
  if (stack !== undefined) error.stack = stack;
  return error;
};

const describeReason = (reason: unknown): string =>
  typeof reason === 'string' ? reason : (JSON.stringify(reason) ?? messageOf(reason));
