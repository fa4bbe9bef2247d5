/** The header in which CloudFront's function tells the viewer's address; what a viewer sends under this name is replaced. */
export const VIEWER_HEADER = 'x-assay-viewer';

interface Options {
  readonly now: () => number;
  /** Refused keys that an address may show within the window. */
  readonly most?: number;
  readonly windowMs?: number;
}

/** Slows down who guesses keys: too many refused ones from an address, and it waits. */
export interface GuessLimit {
  /** Seconds that this address has to wait; 0 when it need not. */
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
