import type { NewKey, Scope } from '../answers.ts';
import { ApiFault } from '../fault.ts';

export const SCOPES: readonly (readonly [Scope, string])[] = [
  ['read', 'look up and watch'],
  ['invoke', 'run, score, decide, plan'],
  ['write', 'register and change tools'],
  ['approve', 'consent to calls that ask'],
  ['admin', 'everything, keys too'],
];

/** The fields of the key form, as typed. */
export interface KeyDraft {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly tools: readonly string[];
  readonly calls: string;
  readonly dollars: string;
  readonly expires: string;
}

export const NO_KEY: KeyDraft = {
  name: '',
  scopes: ['read', 'invoke'],
  tools: [],
  calls: '',
  dollars: '',
  expires: '',
};

/** The key to create; an empty field sets no limit. */
export const toNewKey = ({ name, scopes, tools, calls, dollars, expires }: KeyDraft): NewKey => {
  const quota = {
    calls: wholeNumber('the calls a month', calls, 1),
    micros: wholeNumber('the budget a month', dollars, 1_000_000),
  };
  return {
    scopes: [...scopes],
    name: name.trim() || undefined,
    tools: tools.length === 0 ? undefined : [...tools],
    quota: quota.calls === undefined && quota.micros === undefined ? undefined : quota,
    // The key is valid until the end of that day in the user's time zone.
    expires_at: expires === '' ? undefined : new Date(`${expires}T23:59:59`).toISOString(),
  };
};

const wholeNumber = (what: string, text: string, unit: number): number | undefined => {
  if (text.trim() === '') return undefined;
  const value = Math.round(Number(text.replace(',', '.')) * unit);
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw new ApiFault(
    'InvalidInput',
    `${what}, ${JSON.stringify(text)}, must be a number such as ${unit === 1 ? 500 : '2.50'}`,
  );
};
