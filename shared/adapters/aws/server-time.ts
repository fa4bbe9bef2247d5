/** A request signed at a time further off than five minutes is refused. */
const ALLOWED_MS = 4 * 60_000;

export interface ServerTime {
  now(): number;
  /** Takes over the time of an answer where ours is too far off; tells whether it was. */
  correct(date: string | undefined): boolean;
}

/** The time as a service has it: a clock that is wrong costs one refused request instead of all of them. */
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
