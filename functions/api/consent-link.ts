import { Fault } from '../../shared/kernel/errors.ts';
import { isObject } from '../../shared/kernel/json.ts';

/** The console's address, as the caller reached this server; undefined when called in process. */
export const consoleOf = (request: Request): string | undefined =>
  request.headers.has('host') ? new URL(request.url).origin : undefined;

/** The console's page of calls that wait for consent. */
export const consentUrl = (console: string): string => `${console}/#/activity/waiting`;

/** Adds a link to a refusal that a person can resolve: the console for consent, or the page to connect an account. */
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
