import { Fault } from '../kernel/errors.ts';
import type { Actor, ApiKey, NewKey } from '../model/key.ts';
import { hasScope } from './scopes.ts';

/** The new key, limited by what its maker has: what it does not name it gets from there, and more is refused. */
export const withinOwnLimits = (actor: Actor, asked: NewKey): NewKey => {
  const { key } = actor;
  if (key === undefined || hasScope(actor, 'admin')) return asked;
  for (const [field, value, limit] of limitsOf(asked, key))
    if (value !== undefined && limit !== undefined && value > limit) throw tooMuch(field, value, limit);
  const { rate = key.rate, expires_at = key.expires_at } = asked;
  const quota = asked.quota || key.quota ? { ...key.quota, ...asked.quota } : undefined;
  return { ...asked, rate, expires_at, quota };
};

type Limit = readonly [field: string, value: number | Date | undefined, limit: number | Date | undefined];

const limitsOf = (asked: NewKey, own: ApiKey): readonly Limit[] => [
  ['rate.per_second', asked.rate?.per_second, own.rate?.per_second],
  ['rate.burst', asked.rate?.burst, own.rate?.burst],
  ['quota.calls', asked.quota?.calls, own.quota?.calls],
  ['quota.micros', asked.quota?.micros, own.quota?.micros],
  ['expires_at', dateOf(asked.expires_at), dateOf(own.expires_at)],
];

const dateOf = (text: string | undefined): Date | undefined => (text === undefined ? undefined : new Date(text));

const tooMuch = (field: string, value: number | Date, limit: number | Date): Fault => {
  const [given, most] = [value, limit].map((one) => (typeof one === 'number' ? one : one.toISOString()));
  const message = `${field} is ${given}, and this key itself has ${most}; give at most that, or leave it out to give the same`;
  return new Fault('Forbidden', message, { field, value: given, limit: most });
};
