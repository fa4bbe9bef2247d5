const REQUEST_ID = /^[A-Za-z0-9._-]{1,64}$/;

/** The caller's request id, if it is safe in a log line. */
export const givenRequestId = (header: string | undefined): string | undefined =>
  header !== undefined && REQUEST_ID.test(header) ? header : undefined;
