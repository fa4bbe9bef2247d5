import * as z from 'zod';
import type { CallOptions } from '../execute/call.ts';
import { cutValue } from '../execute/cut-values.ts';
import type { MeteredCall, Reservation } from '../execute/meter.ts';
import { handedCallKey } from '../kernel/item-keys.ts';
import { isObject } from '../kernel/json.ts';
import type { Table } from '../kernel/ports.ts';
import { put, read, stored } from '../kernel/stored.ts';
import { CallRecord } from '../model/call-record.ts';

/** A call whose caller did not wait for the run: what is needed to charge and record it when the run has ended. */
const HandedCall = z.object({
  /** As of the start; how it ended is filled in then. */
  record: CallRecord,
  reservation: z.custom<Reservation>(isReservation),
  /** When the tool's time is up, in milliseconds since 1970. */
  deadline: z.number(),
  settled: z.literal(true).optional(),
  /** The price of starting the run itself: charged whatever becomes of it. */
  fee: z.literal(true).optional(),
});
export type HandedCall = Readonly<z.infer<typeof HandedCall>>;

export const HandedCallItem = stored<HandedCall>({ what: 'call that a run answers', schema: HandedCall });

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

/** The meter's own, handed back to it: of what it is made only the meter knows. */
function isReservation(value: unknown): boolean {
  return isObject(value) && isObject(value.call) && typeof value.call.keyId === 'string' && isMicros(value.micros);
}

const isMicros = (value: unknown): boolean => Number.isSafeInteger(value);

/** The call that a run answers; undefined for a run that nobody called as a tool. */
export const readHandedCall = async (table: Table, tenant: string, run: string): Promise<HandedCall | undefined> => {
  const item = await table.get(handedCallKey(tenant, run));
  return item && read(item, HandedCallItem);
};

/** Marks a call as settled, so that nobody looks at it again; its row in the ledger decided who settled it. */
export const closeHandedCall = (table: Table, tenant: string, run: string): Promise<void> =>
  table.change<void>([handedCallKey(tenant, run)], ([item]) => {
    const call = item && read(item, HandedCallItem);
    if (!call || call.settled) return { writes: [], result: undefined };
    return { writes: [put(item.key, HandedCallItem, { ...call, settled: true })], result: undefined };
  });
