import { Fault } from '../../shared/kernel/errors.ts';
import { isObject } from '../../shared/kernel/json.ts';

/** Where this server's console is, as the caller reached it; undefined where the product was called in process. */
export const consoleOf = (request: Request): string | undefined =>
  request.headers.has('host') ? new URL(request.url).origin : undefined;

/** The console's page of calls that wait for consent. */
export const consentUrl = (console: string): string => `${console}/#/activity/waiting`;

/** Adds to a refusal that a person can cure where that is done: consent in the console, an account by its link. */
export const withPersonLink = <T>(thrown: T, console: string | undefined): T | Fault => {
  if (!(thrown instanceof Fault) || console === undefined) return thrown;
  return thrown.code === 'AccountRequired' ? withAccountLink(thrown, console) : withConsentLink(thrown, console);
};

const withAccountLink = (thrown: Fault, console: string): Fault => {
  const { account } = thrown.details;
  if (!isObject(account)) return thrown;
  const { path, ...rest } = account;
  const url = `${console}${path}`;
  return new Fault(thrown.code, `${thrown.message}: ${url}`, { ...thrown.details, account: { ...rest, url } });
};

const withConsentLink = (thrown: Fault, console: string): Fault => {
  const { confirmation } = thrown.details;
  if (thrown.code !== 'ConfirmationRequired' || !isObject(confirmation)) return thrown;
  const url = consentUrl(console);
  return new Fault(thrown.code, `${thrown.message}. The console is at ${url}`, {
    ...thrown.details,
    confirmation: { ...confirmation, url },
  });
};
