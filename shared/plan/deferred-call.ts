import * as z from 'zod';
import type { CallOptions } from '../execute/call.ts';
import { cutValue } from '../execute/cut-values.ts';
import type { MeteredCall, Reservation } from '../execute/meter.ts';
import { deferredCallKey } from '../kernel/item-keys.ts';
import { isObject } from '../kernel/json.ts';
import type { Table } from '../kernel/ports.ts';
import { put, read, stored } from '../kernel/stored.ts';
import { CallRecord } from '../model/call-record.ts';

/** A call that returned before its run ended: what is needed to charge and record it at the end. */
const DeferredCall = z.object({
  /** As of the start; the outcome is filled in at the end. */
  record: CallRecord,
  reservation: z.custom<Reservation>(isReservation),
  /** When the tool's timeout ends, in milliseconds since 1970. */
  deadline: z.number(),
  settled: z.literal(true).optional(),
  /** Set for the fee of starting the run itself, which is charged whatever the run's outcome. */
  fee: z.literal(true).optional(),
});
export type DeferredCall = Readonly<z.infer<typeof DeferredCall>>;

export const DeferredCallItem = stored<DeferredCall>({ what: 'call that a run answers', schema: DeferredCall });

/** The record of a call as its run starts. */
export const startedRecord = (
  { id, tool, version, keyId, at }: MeteredCall,
  args: unknown,
  options: Pick<CallOptions, 'attempt' | 'requestId'> = {},
): CallRecord => ({
  call_id: id,
  tool,
  version,
  arguments: cutValue(args ?? null),
  status: 'ok',
  duration_ms: 0,
  cpu_ms: 0,
  cpu_percent: 0,
  memory_delta_bytes: 0,
  memory_peak_bytes: 0,
  cached: false,
  attempts: options.attempt ?? 1,
  charged_micros: 0,
  key: keyId,
  at: new Date(at).toISOString(),
  request_id: options.requestId,
});

/** A reservation is opaque here: only the meter knows all of its fields. */
function isReservation(value: unknown): boolean {
  return isObject(value) && isObject(value.call) && typeof value.call.keyId === 'string' && isMicros(value.micros);
}

const isMicros = (value: unknown): boolean => Number.isSafeInteger(value);

/** The deferred call that this run completes; undefined for a run that was not started as a tool. */
export const readDeferredCall = async (
  table: Table,
  tenant: string,
  run: string,
): Promise<DeferredCall | undefined> => {
  const item = await table.get(deferredCallKey(tenant, run));
  return item && read(item, DeferredCallItem);
};

/** Marks a call as settled, so that it is not looked at again; its row in the ledger decides who settles it. */
export const closeDeferredCall = (table: Table, tenant: string, run: string): Promise<void> =>
  table.change<void>([deferredCallKey(tenant, run)], ([item]) => {
    const call = item && read(item, DeferredCallItem);
    if (!call || call.settled) return { writes: [], result: undefined };
    return { writes: [put(item.key, DeferredCallItem, { ...call, settled: true })], result: undefined };
  });
