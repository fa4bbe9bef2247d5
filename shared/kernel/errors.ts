/** Every expected error code, with its HTTP status. */
export const statusOf = {
  InvalidInput: 400,
  Unauthenticated: 401,
  PaymentRequired: 402,
  Forbidden: 403,
  NotFound: 404,
  Conflict: 409,
  ConfirmationRequired: 409,
  SourceDrifted: 409,
  AccountRequired: 409,
  TooLarge: 413,
  RateLimited: 429,
  Internal: 500,
  ToolExecutionError: 502,
  Unavailable: 503,
} as const;

export type FaultCode = keyof typeof statusOf;
export type FaultDetails = Readonly<Record<string, unknown>>;

/**
 * An expected error: its message says what happened, with the values, and how to fix it. Anything else thrown is a bug.
 */
export class Fault extends Error {
  readonly code: FaultCode;
  readonly details: FaultDetails;

  constructor(code: FaultCode, message: string, details: FaultDetails = {}, options?: ErrorOptions) {
    super(message, options);
    // Step Functions matches Retry and Catch on the error's name.
    this.name = code;
    this.code = code;
    this.details = details;
  }
}

/** The start of a text that somebody else wrote, for a message: names and values may be megabytes long. */
export const shorten = (text: string, most = 80): string => (text.length > most ? `${text.slice(0, most)}...` : text);

/** The message of anything thrown, for logs and tool outcomes. */
export const messageOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));
