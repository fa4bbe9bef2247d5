import { hash, timingSafeEqual } from 'node:crypto';

/** The header that CloudFront adds; CloudFront replaces what a viewer sends under this name. */
export const ORIGIN_HEADER = 'x-assay-origin';

/** Whether a request came through CloudFront; no promise, and nothing read, unless a rotation may be under way. */
export type OriginGuard = (presented: string | undefined) => boolean | Promise<boolean>;

/** The secret now in use, or all that may be: the new one, the one in use and the one before. */
export type ReadSecrets = (which: 'current' | 'all') => Promise<readonly string[]>;

interface Options {
  readonly read: ReadSecrets;
  readonly now: () => number;
  /** After a secret that is not known, how long until the store is asked again. */
  readonly againMs?: number;
}

const SHAPE = /^[A-Za-z0-9]{32,128}$/;

export const createOriginGuard = async ({ read, now, againMs = 30_000 }: Options): Promise<OriginGuard> => {
  let known = (await read('current')).map(digestOf);
  // A rotation may have begun before this instance did, so the first unknown secret is looked up at once.
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
    // Strangers who know nothing cost no look into the store.
    if (presented === undefined || !SHAPE.test(presented)) return false;
    const digest = digestOf(presented);
    if (isAmong(known, digest)) return true;
    return asking !== undefined || now() - asked >= againMs ? lookAgain(digest) : false;
  };
};

const digestOf = (secret: string): Buffer => hash('sha256', secret, 'buffer');

// Compares with all of them, in a time that does not tell which came close.
const isAmong = (known: readonly Buffer[], presented: Buffer): boolean =>
  known.map((each) => timingSafeEqual(each, presented)).includes(true);
