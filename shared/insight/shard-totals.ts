import * as z from 'zod';
import { stored } from '../kernel/stored.ts';
import type { CallRecord } from '../model/call-record.ts';
import { addToShard, ShardStats } from './shard-stats.ts';

/** Calls and micro-dollars of a key and tool in a month. */
const Used = z.tuple([z.number(), z.number()]).readonly();
type Used = z.infer<typeof Used>;

/** Totals of many tools of one tenant, as counted by one shard of the stream. */
const ShardTotals = z.object({
  /** The last stream record that is included: records delivered again are skipped. */
  sequence: z.string(),
  /** When it was last updated, in milliseconds since 1970. */
  at: z.number(),
  /** Full: further names go to the two items of the next level. */
  full: z.literal(true).optional(),
  /** By `<tool>#<version>`. */
  stats: z.record(z.string(), ShardStats),
  /** By `<month>#<key>#<tool>`. */
  usage: z.record(z.string(), Used),
});
export type ShardTotals = Readonly<z.infer<typeof ShardTotals>>;

export const ShardTotalsItem = stored<ShardTotals>({
  what: 'totals of a shard',
  schema: ShardTotals,
  cure: 'remove it and settle usage from the ledger; the calls themselves are not affected',
});

/** What a call adds to one total of an item. */
export interface TotalEntry {
  readonly sequence: string;
  readonly kind: 'stats' | 'usage';
  readonly name: string;
  readonly record: CallRecord;
}

/** Four write units, minus the key, the timestamp and the revision. */
const MAX_TOTALS_BYTES = 3800;
/** The deepest level: a total that is too large by itself would not fit deeper either. */
export const MAX_LEVELS = 12;

export const emptyTotals = (sequence: string): ShardTotals => ({ sequence, at: 0, stats: {}, usage: {} });

/** Adds calls to the totals. Pure: it may run again. */
export const addEntries = (totals: ShardTotals, entries: readonly TotalEntry[], at: number): ShardTotals => {
  const byName = Map.groupBy(entries, ({ kind, name }) => `${kind} ${name}`);
  const stats: Record<string, ShardStats> = { ...totals.stats };
  const usage: Record<string, Used> = { ...totals.usage };
  for (const [first, ...more] of byName.values()) {
    if (first === undefined) continue;
    const records = [first, ...more].map(({ record }) => record);
    if (first.kind === 'stats') stats[first.name] = addToShard(stats[first.name], records);
    else usage[first.name] = addUsed(usage[first.name], records);
  }
  const sequence = entries.reduce((last, entry) => (entry.sequence > last ? entry.sequence : last), totals.sequence);
  return { ...totals, sequence, at, stats, usage };
};

const addUsed = ([calls, micros]: Used = [0, 0], records: readonly CallRecord[]): Used => [
  calls + records.length,
  records.reduce((sum, { charged_micros }) => sum + charged_micros, micros),
];

export const fitsIn = (totals: ShardTotals): boolean => Buffer.byteLength(JSON.stringify(totals)) <= MAX_TOTALS_BYTES;

/** Which child of a full item holds a name: one bit of its hash per level. */
export const hashBit = (name: string, level: number): '0' | '1' => ((hashText(name) >>> level) & 1 ? '1' : '0');

// FNV-1a with a final mix: its low bits alone are unevenly distributed.
const hashText = (name: string): number => {
  let hash = 0x811c9dc5;
  for (let at = 0; at < name.length; at++) hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193);
  return (hash ^ (hash >>> 15)) >>> 0;
};
