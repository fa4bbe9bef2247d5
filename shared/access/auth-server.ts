import type { Scope } from '../model/key.ts';

/** The scopes that OAuth can grant: approval and administration stay with keys. */
export const TOKEN_SCOPES = ['read', 'invoke', 'write'] as const satisfies readonly Scope[];
export type TokenScope = (typeof TOKEN_SCOPES)[number];

/** An authorization request that waits for a person with a key. */
export interface PendingSignIn {
  /** The name that the client gives itself. */
  readonly clientName: string | undefined;
  readonly clientId: string;
  /** Whether the client's id is the address of its published metadata. */
  readonly isPublished: boolean;
  readonly redirectUri: string;
  readonly resource: string;
  readonly scopes: readonly TokenScope[];
}

/** An authorization server of our own, for clients that know only OAuth; its only login is a key. */
export interface AuthServer {
  readonly issuer: () => string;
  /** Answers the protocol's own requests: discovery, signing keys, authorization, token, registration, revocation. */
  handle(request: Request, body: string): Promise<Response>;
  /** The pending authorization request of the browser's cookie; undefined when it has expired. */
  find(request: Request): Promise<PendingSignIn | undefined>;
  allow(
    request: Request,
    granted: { readonly keyId: string; readonly scopes: readonly TokenScope[] },
  ): Promise<Response>;
  /** Redirects the browser back with an OAuth error (RFC 6749, 4.1.2.1). */
  deny(request: Request, error: 'access_denied' | 'invalid_scope', description: string): Promise<Response>;
}
