import * as z from 'zod';
import { stored } from '../kernel/stored.ts';
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
});
export type CallRecord = Readonly<z.infer<typeof CallRecord>>;

export const CallItem = stored<CallRecord>({ what: 'call', schema: CallRecord });

/** Marks an hour that has calls. */
export const CallHourItem = stored({ what: 'hour of calls', schema: z.object({ hour: z.string() }) });
