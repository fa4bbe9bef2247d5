/** The header in which CloudFront's function passes the viewer's address, replacing any that the viewer sent. */
export const VIEWER_HEADER = 'x-assay-viewer';

interface Options {
  readonly now: () => number;
  /** How many refused keys an address may present within the window. */
  readonly most?: number;
  readonly windowMs?: number;
}

/** Slows down guessing of keys: an address with too many refused keys has to wait. */
export interface GuessLimit {
  /** Seconds that this address has to wait; 0 when it may go on. */
  waitOf(address: string): number;
  refused(address: string): void;
}

const MAX_ADDRESSES = 10_000;

export const createGuessLimit = ({ now, most = 60, windowMs = 60_000 }: Options): GuessLimit => {
  const seen = new Map<string, { readonly since: number; count: number }>();
  const current = (address: string) => {
    const found = seen.get(address);
    return found && now() - found.since < windowMs ? found : undefined;
  };
  return {
    waitOf(address) {
      const found = current(address);
      return found && found.count >= most ? Math.max(1, Math.ceil((found.since + windowMs - now()) / 1000)) : 0;
    },
    refused(address) {
      const found = current(address);
      if (found) found.count++;
      else {
        if (seen.size >= MAX_ADDRESSES) seen.clear();
        seen.set(address, { since: now(), count: 1 });
      }
    },
  };
};
