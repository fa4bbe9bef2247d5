/** An error response of the API, or a failed connection. */
export class ApiFault extends Error {
  readonly code: string;
  readonly details: Readonly<Record<string, unknown>>;
  readonly requestId: string | undefined;

  constructor(code: string, message: string, details: Readonly<Record<string, unknown>> = {}, requestId?: string) {
    super(message);
    this.code = code;
    this.details = details;
    this.requestId = requestId;
  }
}

export const apiFault = (thrown: unknown): ApiFault =>
  thrown instanceof ApiFault ? thrown : new ApiFault('Unexpected', String(thrown));

/** The API's error format. */
export interface ErrorAnswer {
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly details: object;
    readonly request_id: string;
  };
}

export const faultFrom = ({ error }: ErrorAnswer): ApiFault =>
  new ApiFault(error.code, error.message, { ...error.details }, error.request_id);

/** The error of a response that is not a success. */
export const faultFromResponse = async (response: Response): Promise<ApiFault> => {
  const text = await response.text();
  try {
    return faultFrom(JSON.parse(text) as ErrorAnswer);
  } catch {
    return new ApiFault('Unavailable', `the server answered ${response.status} without saying why`);
  }
};

interface Advice {
  readonly title: string;
  readonly cure?: string;
}

const ADVICE: Readonly<Record<string, Advice>> = {
  InvalidInput: {
    title: 'This cannot be used as it is',
    cure: 'Change what is named and try again. What you entered is still here.',
  },
  Unauthenticated: { title: 'The key is not accepted' },
  PaymentRequired: {
    title: 'The quota of this key is used up',
    cure: 'Use another key, have its quota raised, or wait for the new month.',
  },
  Forbidden: { title: 'This key may not do that', cure: 'Use a key with the scope or grant that is named.' },
  NotFound: { title: 'Not found' },
  Conflict: { title: 'That has changed meanwhile', cure: 'Load it again and repeat.' },
  TooLarge: { title: 'Too large', cure: 'Make it smaller, or cut out the part that matters, and try again.' },
  RateLimited: { title: 'Too many calls at once', cure: 'Wait a moment, then try again.' },
  ToolExecutionError: { title: 'The tool failed', cure: 'Nothing was charged. Try again, or with other input.' },
  Offline: { title: 'No connection', cure: 'Nothing you entered is lost.' },
  Unavailable: { title: 'Not available now', cure: 'Try again in a moment.' },
};

export const adviceFor = ({ code }: ApiFault): Advice =>
  ADVICE[code] ?? { title: 'Something went wrong', cure: 'Try again.' };
