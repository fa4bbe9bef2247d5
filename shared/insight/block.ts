import * as z from 'zod';
import { stored } from '../kernel/stored.ts';
import { recentAt } from './recent.ts';
import type { StatsTotal } from './stats.ts';

/** Why and since when a version is on the automatic blacklist, and when it may try again. */
export const Block = z.object({
  at: z.iso.datetime(),
  reason: z.string(),
  /** From then on the next call is a trial: success unblocks the tool, failure waits longer. */
  trial_at: z.iso.datetime(),
  times: z.number(),
});
export type Block = Readonly<z.infer<typeof Block>>;

/** The last decision about a version, made from the stream; without a block it is open. */
const BlockDecision = z.object({ block: Block.optional() });
export type BlockDecision = Readonly<z.infer<typeof BlockDecision>>;
export const BlockItem = stored<BlockDecision>({ what: 'automatic blacklist entry', schema: BlockDecision });

const FAILURES_IN_A_ROW = 5;
const FLOOR = 0.4;
/** The number of recent calls needed before a low success rate counts. */
const FLOOR_CALLS = 20;
const COOL_DOWN_MS = 5 * 60_000;
const LONGEST_COOL_DOWN_MS = 86_400_000;

/** Whether a version is on the automatic blacklist after a call that worked or failed. */
export const blockAfter = (stats: StatsTotal, isOk: boolean, at: number): Block | undefined => {
  const { block } = stats;
  if (block) return isTrial(block, at) ? (isOk ? undefined : blocked(block.reason, at, block.times + 1)) : block;
  const reason = isOk ? undefined : blockReason(stats, at);
  return reason === undefined ? undefined : blocked(reason, at, 1);
};

/** Whether the cool-down is over, so that the next call is a trial. */
export const isTrial = (block: Block, now: number): boolean => now >= Date.parse(block.trial_at);

const blocked = (reason: string, at: number, times: number): Block => {
  const wait = Math.min(COOL_DOWN_MS * 2 ** (times - 1), LONGEST_COOL_DOWN_MS);
  return { at: new Date(at).toISOString(), reason, trial_at: new Date(at + wait).toISOString(), times };
};

const blockReason = (stats: StatsTotal, at: number): string | undefined => {
  if (stats.failed_in_a_row >= FAILURES_IN_A_ROW) return `failed ${stats.failed_in_a_row} times in a row`;
  const { ok, failed } = recentAt(stats.recent, at);
  const rate = ok / (ok + failed);
  if (ok + failed < FLOOR_CALLS || rate >= FLOOR) return undefined;
  return `only ${Math.round(rate * 100)} % of its recent calls succeeded; the floor is ${FLOOR * 100} %`;
};
