import * as z from 'zod';

/** Exponentially decaying counts of successes and failures, as of a time. */
export const Recent = z.object({ ok: z.number(), failed: z.number(), at: z.number() });
export type Recent = Readonly<z.infer<typeof Recent>>;

const HALF_LIFE_MS = 14 * 86_400_000;

/** Adds counts as of the later of two times; the order in which calls arrive makes no difference. */
export const addRecent = (recent: Recent, isOk: boolean, at: number): Recent => {
  const now = Math.max(recent.at, at);
  const { ok, failed } = recentAt(recent, now);
  const weight = 2 ** ((at - now) / HALF_LIFE_MS);
  return { ok: ok + (isOk ? weight : 0), failed: failed + (isOk ? 0 : weight), at: now };
};

/** The decayed counts at a later time. */
export const recentAt = ({ ok, failed, at }: Recent, now: number): { readonly ok: number; readonly failed: number } => {
  const left = 2 ** (-Math.max(0, now - at) / HALF_LIFE_MS);
  return { ok: ok * left, failed: failed * left };
};
