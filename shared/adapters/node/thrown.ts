import { messageOf } from '../../kernel/errors.ts';
import type { Thrown } from './child-pool.ts';

/** What was thrown, as far as it can pass between processes. */
export const thrownOf = (reason: unknown): Thrown => {
  if (!(reason instanceof Error)) return { name: 'Error', message: textOf(reason) };
  return { name: reason.name, message: reason.message, stack: reason.stack };
};

/** The error it was. */
export const errorOf = ({ name, message, stack }: Thrown): Error => {
  const error = Object.assign(new Error(message), { name });
  if (stack !== undefined) error.stack = stack;
  return error;
};

const textOf = (reason: unknown): string =>
  typeof reason === 'string' ? reason : (JSON.stringify(reason) ?? messageOf(reason));
