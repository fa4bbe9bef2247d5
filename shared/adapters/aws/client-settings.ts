export interface Bounds {
  /** Connection timeout. */
  readonly connectMs: number;
  /** Until the first byte with the SDK, until the end of the response without it. */
  readonly answerMs: number;
  /** Attempts in total. */
  readonly attempts: number;
}

/** Timeouts per service: if it hangs, the caller must get a 503 while it still waits. */
const BOUNDS = {
  table: { connectMs: 1000, answerMs: 3000, attempts: 3 },
  keys: { connectMs: 1000, answerMs: 3000, attempts: 3 },
  functions: { connectMs: 1000, answerMs: 5000, attempts: 3 },
  secrets: { connectMs: 1000, answerMs: 3000, attempts: 3 },
  events: { connectMs: 1000, answerMs: 5000, attempts: 3 },
  jobs: { connectMs: 1000, answerMs: 10_000, attempts: 3 },
  // Long enough to send a picture of 100 MB.
  objects: { connectMs: 1000, answerMs: 60_000, attempts: 3 },
  lists: { connectMs: 1000, answerMs: 5000, attempts: 3 },
  machines: { connectMs: 1000, answerMs: 5000, attempts: 3 },
  /** Short plans are run to their end before the answer begins; CloudFront waits 120 s. */
  syncRuns: { connectMs: 1000, answerMs: 118_000, attempts: 3 },
} as const satisfies Readonly<Record<string, Bounds>>;

export const boundsOf = (service: keyof typeof BOUNDS): Bounds => BOUNDS[service];

/** Client settings for the AWS SDK, which has no timeouts by default. */
export const clientSettings = (service: keyof typeof BOUNDS, bounds: Partial<Bounds> = {}) => {
  const { connectMs, answerMs, attempts } = { ...BOUNDS[service], ...bounds };
  return {
    maxAttempts: attempts,
    requestHandler: {
      connectionTimeout: connectMs,
      requestTimeout: answerMs,
      // Without it the SDK only warns.
      throwOnRequestTimeout: true,
    },
  };
};
