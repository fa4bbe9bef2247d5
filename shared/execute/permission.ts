import type { CallLayer } from './call.ts';
import { requireGrant } from './grants.ts';
import { requireConsent } from './require-consent.ts';

/** Safe tools run; confirm tools need a person's consent to this call; dangerous ones need an admin's grant. */
export const askPermission: CallLayer = (context, call, next) => {
  switch (call.permission) {
    case 'safe':
      return next(call);
    case 'confirm':
      return requireConsent(context, call).then(() => next(call));
    case 'dangerous':
      return requireGrant(context, call).then(() => next(call));
    default:
      return call.permission satisfies never;
  }
};
