/** AWS refuses signatures whose time is off by more than five minutes. */
const ALLOWED_MS = 4 * 60_000;

export interface ServerTime {
  now(): number;
  /** Adopts the time of a response if ours is too far off; returns whether it was. */
  correct(date: string | undefined): boolean;
}

/** The time according to a service: a wrong clock costs one refused request instead of all. */
export const serverTime = (now: () => number): ServerTime => {
  let aheadMs = 0;
  const corrected = (): number => now() + aheadMs;
  return {
    now: corrected,
    correct(date) {
      const theirs = Date.parse(date ?? '');
      if (!(Math.abs(theirs - corrected()) > ALLOWED_MS)) return false;
      aheadMs = theirs - now();
      return true;
    },
  };
};
