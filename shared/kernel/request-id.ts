const REQUEST_ID = /^[A-Za-z0-9._-]{1,64}$/;

/** The id that a caller gave its request, when it can stand in a log line. */
export const givenRequestId = (header: string | undefined): string | undefined =>
  header !== undefined && REQUEST_ID.test(header) ? header : undefined;
