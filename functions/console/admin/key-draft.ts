import type { NewKey, Scope } from '../answers.ts';
import { ApiFault } from '../fault.ts';

export const SCOPES: readonly (readonly [Scope, string])[] = [
  ['read', 'look up and watch'],
  ['invoke', 'run, score, decide, plan'],
  ['write', 'register and change tools'],
  ['approve', 'consent to calls that ask'],
  ['tenant_admin', 'keys, grants and usage of its tenant'],
  ['admin', 'everything, also for other tenants'],
];

/** The fields of the key form, as typed. */
export interface KeyDraft {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly tools: readonly string[];
  readonly calls: string;
  readonly dollars: string;
  readonly perSecond: string;
  readonly expires: string;
}

export const NO_KEY: KeyDraft = {
  name: '',
  scopes: ['read', 'invoke'],
  tools: [],
  calls: '',
  dollars: '',
  perSecond: '',
  expires: '',
};

/** How many seconds' worth of requests may come at once. */
const BURST_SECONDS = 4;

/** The key to create; an empty field sets no limit. */
export const toNewKey = ({ name, scopes, tools, calls, dollars, perSecond = '', expires }: KeyDraft): NewKey => {
  const quota = {
    calls: wholeNumber('the calls a month', calls, 1),
    micros: wholeNumber('the budget a month', dollars, 1_000_000),
  };
  const rate = wholeNumber('the requests a second', perSecond, 1);
  return {
    scopes: [...scopes],
    name: name.trim() || undefined,
    tools: tools.length === 0 ? undefined : [...tools],
    quota: quota.calls === undefined && quota.micros === undefined ? undefined : quota,
    rate: rate === undefined ? undefined : { per_second: rate, burst: rate * BURST_SECONDS },
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
