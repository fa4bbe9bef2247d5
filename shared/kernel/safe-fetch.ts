/** The bounds of one request to the outside. */
export interface FetchLimits {
  /** From the start until the last byte of the answer; a stream that is kept open may have none. */
  readonly timeoutMs?: number;
  /** Bytes of the answer after decompression; reading beyond them fails. */
  readonly maxBytes: number;
}

/**
 * Fetches what somebody else named: only addresses the operator allows, resolved once and connected to as resolved,
 * redirects within the origin only, bounded in time and size. Refusals are a `Fault` that says what is not allowed.
 */
export type SafeFetch = (url: string | URL, init: RequestInit, limits: FetchLimits) => Promise<Response>;
