import type { Issuer } from '../../shared/access/issuers.ts';
import { createTokenVerifier } from '../../shared/adapters/oauth/verify-token.ts';
import type { Oauth } from '../../shared/assay.ts';
import type { Clock } from '../../shared/kernel/ports.ts';
import type { SafeFetch } from '../../shared/kernel/safe-fetch.ts';

interface Options {
  readonly issuers: readonly Issuer[] | undefined;
  readonly fetch: SafeFetch;
  readonly clock: Pick<Clock, 'now'>;
}

/** Access tokens of the configured issuers; undefined where there are none. */
export const oauthOf = ({ issuers = [], fetch, clock }: Options): Oauth | undefined =>
  issuers.length === 0 ? undefined : { issuers, verifyToken: createTokenVerifier({ issuers, fetch, clock }) };
