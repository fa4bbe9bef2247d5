import { sha256 } from '../kernel/canonical-json.ts';
import { Fault } from '../kernel/errors.ts';
import { type Actor, type ApiKey, type Scope, TenantName } from '../model/key.ts';
import type { Issuer } from './issuers.ts';

export const PRINCIPAL_PREFIX = 'oauth_';
const PRINCIPAL = /^oauth_[0-9a-f]{32}$/;

export type Claims = Readonly<Record<string, unknown>>;

/** Verifies a token and returns its actor; refuses one that is not valid here. */
export type VerifyToken = (text: string) => Promise<Actor>;

/** Whether a credential has the form of a signed token: keys never do. */
export const looksLikeToken = (text: string): boolean => text.startsWith('eyJ') && text.split('.').length === 3;

/** Whether an actor came with an access token. */
export const usesToken = ({ keyId, principal }: Pick<Actor, 'keyId' | 'principal'>): boolean =>
  principal !== undefined || isPrincipal(keyId);

/** Whose consent a call may use: its key's, or its client's where several share a key. */
export const principalOf = ({ keyId, principal }: Pick<Actor, 'keyId' | 'principal'>): string => principal ?? keyId;

/** Whether an id is that of a token's principal, which takes the place of a key's id. */
export const isPrincipal = (keyId: string): boolean => PRINCIPAL.test(keyId);

/**
 * The actor of a verified token. Its principal is issuer, subject and client, so that all tokens of one login share
 * quota, rate, grants, consents and records, and no other login does.
 */
export const actorFromClaims = (issuer: Issuer, claims: Claims): Actor => {
  for (const [claim, value] of Object.entries(issuer.claims))
    if (claims[claim] !== value) throw refused(`its claim ${claim} is not ${JSON.stringify(value)}`);
  const subject = textOf(claims.sub);
  if (subject === undefined) throw refused('it names no subject');
  const client = textOf(claims.client_id) ?? textOf(claims.azp) ?? '';
  const keyId = PRINCIPAL_PREFIX + sha256(JSON.stringify([issuer.issuer, subject, client])).slice(0, 32);
  const tenant = tenantOf(issuer, claims);
  const scopes = scopesOf(issuer, claims);
  const tools = toolsOf(issuer, claims);
  const { quota, rate } = issuer;
  return loginActor(tenant, keyId, { scopes: [...scopes], tools, quota, rate });
};

interface LoginRights extends Pick<ApiKey, 'quota' | 'rate'> {
  readonly scopes?: readonly Scope[];
  readonly tools?: readonly string[] | undefined;
}

/** The actor of a login, which has no stored key. */
export const loginActor = (
  tenant: string,
  keyId: string,
  { scopes = ['invoke'], tools, quota, rate }: LoginRights,
): Actor => ({
  keyId,
  tenant,
  scopes: new Set(scopes),
  tools: tools && new Set(tools),
  key: { id: keyId, tenant, scopes: [...scopes], quota, rate, digest: '', created_at: EPOCH },
});

const EPOCH = new Date(0).toISOString();

const tenantOf = ({ tenant }: Issuer, claims: Claims): string => {
  if (typeof tenant === 'string') return tenant;
  const said = textOf(claims[tenant.claim]);
  const named = said === undefined || !tenant.values ? said : ownValue(tenant.values, said);
  const parsed = TenantName.safeParse(named);
  if (parsed.success) return parsed.data;
  throw refused(`its claim ${tenant.claim} names no tenant`);
};

const scopesOf = ({ scopes: { claim, map } }: Issuer, claims: Claims): ReadonlySet<Scope> => {
  const granted = new Set(wordsOf(claims[claim]).flatMap((word) => ownValue(map, word) ?? []));
  if (granted.size > 0) return granted;
  throw refused(`its claim ${claim} grants nothing here; it must have one of ${Object.keys(map).join(', ')}`);
};

const toolsOf = ({ tools }: Issuer, claims: Claims): readonly string[] | undefined => {
  if (tools === undefined || Array.isArray(tools)) return tools;
  // A missing claim means no tools: leaving it out must not widen access.
  return wordsOf(claims[tools.claim]);
};

const wordsOf = (value: unknown): readonly string[] => {
  if (Array.isArray(value)) return value.filter((word) => typeof word === 'string');
  return typeof value === 'string' ? value.split(' ').filter((word) => word !== '') : [];
};

const ownValue = <T>(map: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(map, name) ? map[name] : undefined;

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

export const refused = (why: string): Fault =>
  new Fault('Unauthenticated', `this access token is refused: ${why}; get a new one from its issuer`, {
    token: 'invalid',
  });
