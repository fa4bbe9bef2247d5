import type { KeyObject } from 'node:crypto';
import { knownKey, requireActive } from '../../shared/access/admit.ts';
import { findKey } from '../../shared/access/api-keys.ts';
import { createAuthServer } from '../../shared/adapters/oauth/auth-server.ts';
import { createOwnTokens } from '../../shared/adapters/oauth/own-tokens.ts';
import { createTokenVerifier } from '../../shared/adapters/oauth/verify-token.ts';
import type { Oauth } from '../../shared/assay.ts';
import type { Clock, Table } from '../../shared/kernel/ports.ts';
import { type IssuersOptions, issuersOauth } from './issuers-oauth.ts';

interface Options extends IssuersOptions {
  readonly own?: OwnServer | undefined;
}

/** The dependencies of our own authorization server. */
export interface OwnServer {
  readonly issuer: () => string;
  readonly table: Table;
  readonly signingKey: KeyObject;
  readonly registers: boolean;
}

/** Verifies access tokens of the configured issuers and of our own server; undefined where there are none. */
export const composeOauth = ({ issuers = [], fetch, clock, own }: Options): Oauth | undefined => {
  if (!own) return issuersOauth({ issuers, fetch, clock });
  const verifyOwn = { issuer: own.issuer, verify: createOwnTokens({ ...own, clock }) };
  return {
    issuers,
    verifyToken: createTokenVerifier({ issuers, own: verifyOwn, fetch, clock }),
    authServer: createAuthServer({ ...own, clock, fetch, isInForce: (id) => isInForce(own.table, clock, id) }),
  };
};

const isInForce = async (table: Table, clock: Pick<Clock, 'now'>, id: string): Promise<boolean> => {
  const key = await findKey(table, id);
  try {
    return key !== undefined && requireActive(knownKey(key), clock.now()) !== undefined;
  } catch {
    return false;
  }
};
