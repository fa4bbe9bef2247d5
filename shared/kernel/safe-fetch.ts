/** The limits of one outbound request. */
export interface FetchLimits {
  /** From the start to the last byte of the answer; left out for a stream that stays open. */
  readonly timeoutMs?: number;
  /** Bytes of the answer after decompression; reading beyond them fails. */
  readonly maxBytes: number;
}

/**
 * Fetches a URL that somebody else provided: only addresses the operator allows, resolved once and connected to as
 * resolved, redirects within the origin only, limited in time and size. A refusal is a `Fault` that says what is not
 * allowed.
 */
export type SafeFetch = (url: string | URL, init: RequestInit, limits: FetchLimits) => Promise<Response>;
