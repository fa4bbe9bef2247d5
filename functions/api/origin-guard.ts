import { hash, timingSafeEqual } from 'node:crypto';

/** The secret header that CloudFront adds, replacing any that the viewer sent. */
export const ORIGIN_HEADER = 'x-assay-origin';

/** Whether a request came through CloudFront; synchronous unless a rotation may be in progress. */
export type OriginGuard = (presented: string | undefined) => boolean | Promise<boolean>;

/** Reads the current secret, or all valid ones: the next, the current and the previous one. */
export type ReadSecrets = (which: 'current' | 'all') => Promise<readonly string[]>;

interface Options {
  readonly read: ReadSecrets;
  readonly now: () => number;
  /** The shortest time between two reads caused by unknown secrets. */
  readonly againMs?: number;
}

const SHAPE = /^[A-Za-z0-9]{32,128}$/;

export const createOriginGuard = async ({ read, now, againMs = 30_000 }: Options): Promise<OriginGuard> => {
  let known = (await read('current')).map(digestOf);
  // A rotation may have started before this instance did, so the first unknown secret is looked up at once.
  let asked = Number.NEGATIVE_INFINITY;
  let asking: Promise<void> | undefined;

  const readAgain = async (): Promise<void> => {
    asked = now();
    known = (await read('all')).map(digestOf);
  };
  const lookAgain = async (presented: Buffer): Promise<boolean> => {
    asking ??= readAgain().finally(() => {
      asking = undefined;
    });
    await asking;
    return isAmong(known, presented);
  };

  return (presented) => {
    // A malformed secret causes no read.
    if (presented === undefined || !SHAPE.test(presented)) return false;
    const digest = digestOf(presented);
    if (isAmong(known, digest)) return true;
    return asking !== undefined || now() - asked >= againMs ? lookAgain(digest) : false;
  };
};

const digestOf = (secret: string): Buffer => hash('sha256', secret, 'buffer');

// Compares with all of them, in constant time.
const isAmong = (known: readonly Buffer[], presented: Buffer): boolean =>
  known.map((each) => timingSafeEqual(each, presented)).includes(true);
