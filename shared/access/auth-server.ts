import type { Scope } from '../model/key.ts';

/** What OAuth can ever grant: consent and administration stay with keys. */
export const TOKEN_SCOPES = ['read', 'invoke', 'write'] as const satisfies readonly Scope[];
export type TokenScope = (typeof TOKEN_SCOPES)[number];

/** An authorization request that waits for a person with a key. */
export interface PendingSignIn {
  /** The client as it calls itself. */
  readonly clientName: string | undefined;
  readonly clientId: string;
  /** Whether the client's id is an address that published its metadata. */
  readonly isPublished: boolean;
  readonly redirectUri: string;
  readonly resource: string;
  readonly scopes: readonly TokenScope[];
}

/** An authorization server of our own, for clients that know only OAuth; its only login is a key. */
export interface AuthServer {
  readonly issuer: () => string;
  /** Answers the protocol's own requests: discovery, keys, authorization, token, registration, revocation. */
  handle(request: Request, body: string): Promise<Response>;
  /** The authorization request that the browser's cookie stands for; undefined when it has ended. */
  find(request: Request): Promise<PendingSignIn | undefined>;
  allow(
    request: Request,
    granted: { readonly keyId: string; readonly scopes: readonly TokenScope[] },
  ): Promise<Response>;
  /** Sends the browser back with an error of OAuth's own (RFC 6749, 4.1.2.1). */
  deny(request: Request, error: 'access_denied' | 'invalid_scope', description: string): Promise<Response>;
}
