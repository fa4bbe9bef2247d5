import { addSums, nothing, type Sum } from './ledger.ts';
import type { KeySums, MonthSums } from './month-sums.ts';

export interface Difference {
  readonly key_id: string;
  readonly what: 'usage' | 'quota';
  readonly ledger: Sum;
  readonly stored: Sum;
  /** What may have happened, and what to do about it. */
  readonly why: string;
}

/** How long the stream may take to fold a call. */
const STREAM_MS = 15 * 60_000;

/** Where stored sums differ from the ledger. Calls in flight explain differences only by their own amounts. */
export const differencesIn = ({ keys, moving }: MonthSums, now: number, streams: boolean): readonly Difference[] => {
  const still = keys.filter(({ key_id }) => !moving.includes(key_id));
  return still.flatMap((key) => [...quotaDifference(key, now), ...usageDifference(key, now, streams)]);
};

const quotaDifference = ({ key_id, ledger, counter }: KeySums, now: number): readonly Difference[] => {
  if (counter === undefined) return [];
  const live = ledger.reserved.filter(({ until }) => until > now).map(({ micros }) => ({ calls: 1, micros }));
  const dead = ledger.reserved.length - live.length;
  const most = live.reduce(addSums, ledger.ended);
  const about = { key_id, what: 'quota', ledger: most } as const;
  if (counter === 'unreadable')
    return [{ ...about, stored: nothing, why: 'the counter cannot be read; settle it from the ledger' }];
  // A call in flight is counted just after its row is written.
  const isWithin = within(ledger.ended.calls, counter.calls, most.calls) && counter.micros <= most.micros;
  if (dead === 0 && isWithin && (live.length > 0 || same(counter, most))) return [];
  return [{ ...about, stored: { calls: counter.calls, micros: counter.micros }, why: whyQuota(counter, most, dead) }];
};

const whyQuota = (counter: Sum, most: Sum, dead: number): string => {
  if (dead > 0)
    return `${dead} reservations of processes that ended are still counted; the next call that needs them gets them back, or settle`;
  return counter.calls > most.calls || counter.micros > most.micros
    ? 'more is counted than was used: a process ended between ending a call and giving its price back; settle'
    : 'less is counted than was used: the counter was changed or lost; settle';
};

const usageDifference = ({ key_id, ledger, usage }: KeySums, now: number, streams: boolean): readonly Difference[] => {
  if (same(usage, ledger.ended)) return [];
  const stored = { calls: usage.calls, micros: usage.micros };
  const why =
    streams && isRecent(ledger.latest, now)
      ? 'the stream may not have folded the latest calls yet; look again in a quarter of an hour'
      : 'the totals were changed, lost or could not be read when calls were folded; settle';
  return [{ key_id, what: 'usage', ledger: ledger.ended, stored, why }];
};

/** Whether the stream may still be processing the calls of a key. */
export const isRecent = (latest: number, now: number): boolean => latest > now - STREAM_MS;

const within = (least: number, value: number, most: number): boolean => value >= least && value <= most;
const same = (a: Sum, b: Sum): boolean => a.calls === b.calls && a.micros === b.micros;
