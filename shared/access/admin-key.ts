import { digestOfKey, sameDigest } from './secret.ts';

/** The operator's admin key, which is not stored in the table. */
export interface AdminKey {
  /** Compares with the cached key only. */
  matches(digest: string): boolean;
  /** Compares, re-reading the key from its source if needed. */
  check?(digest: string): Promise<boolean>;
}

export const fixedAdminKey = (digest: string): AdminKey => ({ matches: (other) => sameDigest(digest, other) });

/** Accepts a key that any of them accepts. */
export const anyAdminKey = (keys: readonly AdminKey[]): AdminKey => ({
  matches: (digest) => keys.some((key) => key.matches(digest)),
});

/** A key that expires. */
export const expiringAdminKey = (key: AdminKey, until: number, now: () => number): AdminKey => ({
  matches: (digest) => now() < until && key.matches(digest),
});

interface Options {
  /** Reads the key from its source; undefined or empty when none is set. */
  readonly read: () => Promise<string | undefined>;
  readonly now: () => number;
  /** How long a cached key is accepted before it is read again, so that a rotated key stops working. */
  readonly keptMs?: number;
  /** The shortest interval between two reads that unknown keys cause. */
  readonly againMs?: number;
}

/** An admin key stored elsewhere: cached on first use and re-read every minute, so that it can be rotated. */
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
      // Unknown keys cause one read every ten seconds, however many are presented.
      if (now() - askedAt < againMs) return matches(digest);
      asking ??= readAgain().finally(() => {
        asking = undefined;
      });
      await asking;
      return matches(digest);
    },
  };
};
