import { digestOfKey, sameDigest } from './secret.ts';

/** The operator's own key, which is no key of the table. */
export interface AdminKey {
  /** Whether it is this one, by what is known now. */
  matches(digest: string): boolean;
  /** Whether it is, also when that takes a look at where it is kept. */
  check?(digest: string): Promise<boolean>;
}

export const fixedAdminKey = (digest: string): AdminKey => ({ matches: (other) => sameDigest(digest, other) });

interface Options {
  /** The key as it is kept; undefined or empty when there is none. */
  readonly read: () => Promise<string | undefined>;
  readonly now: () => number;
  /** How long a key that was read holds: a replaced one is refused after it. */
  readonly keptMs?: number;
  /** How often a key that is not known makes it look again. */
  readonly againMs?: number;
}

/** An admin key kept elsewhere. It is read when first presented and again every minute, so that it can be replaced. */
export const storedAdminKey = ({ read, now, keptMs = 60_000, againMs = 10_000 }: Options): AdminKey => {
  let known: string | undefined;
  let askedAt = Number.NEGATIVE_INFINITY;
  let asking: Promise<void> | undefined;

  const matches = (digest: string): boolean =>
    known !== undefined && now() - askedAt < keptMs && sameDigest(known, digest);
  const readAgain = async (): Promise<void> => {
    const begun = now();
    const text = await read();
    known = text === undefined || text === '' ? undefined : digestOfKey(text);
    askedAt = begun;
  };

  return {
    matches,
    async check(digest) {
      // Strangers' keys cost one look in ten seconds, however many there are.
      if (now() - askedAt < againMs) return matches(digest);
      asking ??= readAgain().finally(() => {
        asking = undefined;
      });
      await asking;
      return matches(digest);
    },
  };
};
