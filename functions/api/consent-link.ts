import { Fault } from '../../shared/kernel/errors.ts';
import { isObject } from '../../shared/kernel/json.ts';

/** Where this server's console is, as the caller reached it; undefined where the product was called in process. */
export const consoleOf = (request: Request): string | undefined =>
  request.headers.has('host') ? new URL(request.url).origin : undefined;

/** The console's page of calls that wait for consent. */
export const consentUrl = (console: string): string => `${console}/#/activity/waiting`;

/** Adds to a refusal for want of consent where a person can give it. */
export const withConsentLink = <T>(thrown: T, console: string | undefined): T | Fault => {
  if (!(thrown instanceof Fault) || thrown.code !== 'ConfirmationRequired' || console === undefined) return thrown;
  const { confirmation } = thrown.details;
  if (!isObject(confirmation)) return thrown;
  const url = consentUrl(console);
  return new Fault(thrown.code, `${thrown.message}. The console is at ${url}`, {
    ...thrown.details,
    confirmation: { ...confirmation, url },
  });
};
