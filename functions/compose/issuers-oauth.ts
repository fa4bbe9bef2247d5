import type { Issuer } from '../../shared/access/issuers.ts';
import { createTokenVerifier } from '../../shared/adapters/oauth/verify-token.ts';
import type { Oauth } from '../../shared/assay.ts';
import type { Clock } from '../../shared/kernel/ports.ts';
import type { SafeFetch } from '../../shared/kernel/safe-fetch.ts';

export interface IssuersOptions {
  readonly issuers?: readonly Issuer[] | undefined;
  readonly fetch: SafeFetch;
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * Verifies access tokens of the configured issuers; undefined without any. For Lambda, which has no authorization
 * server.
 */
export const issuersOauth = ({ issuers = [], fetch, clock }: IssuersOptions): Oauth | undefined =>
  issuers.length === 0
    ? undefined
    : {
        issuers,
        verifyToken: createTokenVerifier({ issuers, own: undefined, fetch, clock }),
        authServer: undefined,
      };
