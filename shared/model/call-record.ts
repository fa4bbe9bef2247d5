import * as z from 'zod';
import type { Item } from '../kernel/ports.ts';
import { read, stored } from '../kernel/stored.ts';
import { CALL_STATUSES } from './call.ts';

/** The stored record of a call: execution record and ledger row at once. */
export const CallRecord = z.object({
  call_id: z.string(),
  tool: z.string(),
  version: z.string(),
  /** Redacted, with long values truncated. */
  arguments: z.unknown(),
  status: z.enum(CALL_STATUSES),
  output: z.unknown().optional(),
  error: z.object({ type: z.string(), message: z.string(), stack: z.string().optional() }).optional(),
  duration_ms: z.number(),
  cpu_ms: z.number(),
  /** CPU time as a share of the duration. */
  cpu_percent: z.number(),
  memory_delta_bytes: z.number(),
  memory_peak_bytes: z.number(),
  cached: z.boolean(),
  attempts: z.number(),
  charged_micros: z.int(),
  key: z.string(),
  at: z.iso.datetime(),
  request_id: z.string().optional(),
  /** Its trace, where that is recorded here or by a caller. */
  trace_id: z.string().optional(),
});
export type CallRecord = Readonly<z.infer<typeof CallRecord>>;

export const CallItem = stored<CallRecord>({ what: 'call', schema: CallRecord });

/** The ledger row of a call that has reserved its price and not ended. It becomes the call's record, or lapses. */
const ReservedCall = z.object({
  status: z.literal('reserved'),
  call_id: z.string(),
  tool: z.string(),
  version: z.string(),
  key: z.string(),
  micros: z.int(),
  at: z.iso.datetime(),
  /** When its process is certainly no longer running it, in milliseconds since 1970. */
  until: z.number(),
  /** The recount of the quota that found and counted it. */
  counted: z.int().optional(),
  /** It had lapsed and was reserved again, so whether it was counted is unknown. */
  renewed: z.literal(true).optional(),
});
export type ReservedCall = Readonly<z.infer<typeof ReservedCall>>;

export const ReservedCallItem = stored<ReservedCall>({ what: 'reserved call', schema: ReservedCall });

/** Whether a row of the ledger is only reserved. */
export const isReserved = (item: Item): boolean => !item.isDamaged && item.body.status === 'reserved';

/** The record of a call that has ended; undefined while its row is only reserved. */
export const endedCall = (item: Item | undefined): CallRecord | undefined =>
  item && !isReserved(item) ? read(item, CallItem) : undefined;

/** Marks an hour that has calls. */
export const CallHourItem = stored({ what: 'hour of calls', schema: z.object({ hour: z.string() }) });
