import { callKey } from '../../kernel/item-keys.ts';
import type { Item, Table } from '../../kernel/ports.ts';
import { put, read } from '../../kernel/stored.ts';
import {
  CallItem,
  type CallRecord,
  endedCall,
  isReserved,
  type ReservedCall,
  ReservedCallItem,
} from '../../model/call-record.ts';
import { alreadyEnded } from '../earlier-call.ts';
import type { MeteredCall } from '../meter.ts';
import { isOpen, rowExpires } from '../record-row.ts';

/** The largest difference between the clocks of processes. */
export const SKEW_MS = 60_000;

export interface PlacedRow {
  readonly isTakenOver: boolean;
  /** The most that the call costs, fixed by its first try. */
  readonly micros: number;
}

/**
 * Writes the reserved row of a call before it is counted and runs. The row of an earlier try is taken over, even if it
 * has lapsed; a call that has ended is refused.
 */
export const placeRow = (table: Table, call: MeteredCall, micros: number, until: number): Promise<PlacedRow> => {
  const key = callKey(call.tenant, call.id);
  const row: ReservedCall = {
    status: 'reserved',
    call_id: call.id,
    tool: call.tool,
    version: call.version,
    key: call.keyId,
    micros,
    at: new Date(call.at).toISOString(),
    until,
  };
  return table.change<PlacedRow>([key], ([item]) => {
    const known = item && isReserved(item) ? read(item, ReservedCallItem) : undefined;
    const isLapsed = endedCall(item)?.status === 'interrupted';
    if (!isOpen(item) && !isLapsed) throw alreadyEnded(call.id);
    const kept = known && { micros: known.micros, counted: known.counted };
    const placed = { ...row, ...kept, renewed: isLapsed ? (true as const) : known?.renewed };
    const expires = rowExpires(call.at);
    return {
      writes: [put(key, ReservedCallItem, placed, expires)],
      result: { isTakenOver: known !== undefined || isLapsed, micros: placed.micros },
    };
  });
};

/** Removes the row of a call that will not run and returns it; undefined when the row is no longer reserved. */
export const removeRow = (table: Table, { tenant, id }: MeteredCall): Promise<ReservedCall | undefined> =>
  changeReserved(
    table,
    tenant,
    id,
    () => true,
    (item) => ({ remove: item.key }),
  );

/** Marks a row as included in a recount; false when the row is no longer reserved. */
export const stampRow = async (table: Table, tenant: string, row: ReservedCall, counted: number): Promise<boolean> => {
  const stamped = await changeReserved(
    table,
    tenant,
    row.call_id,
    () => true,
    (item, known) => put(item.key, ReservedCallItem, { ...known, counted }, item.expires),
  );
  return stamped !== undefined;
};

/** Ends a row whose time is up, so that a suspended process that resumes finds its call ended. */
export const lapseRow = async (table: Table, tenant: string, row: ReservedCall, now: number): Promise<boolean> => {
  const isDead = ({ until }: ReservedCall): boolean => until <= now;
  const lapsed = await changeReserved(table, tenant, row.call_id, isDead, (item, known) =>
    put(item.key, CallItem, lapsedRecord(known), item.expires),
  );
  return lapsed !== undefined;
};

const changeReserved = (
  table: Table,
  tenant: string,
  id: string,
  applies: (row: ReservedCall) => boolean,
  write: (item: Item, row: ReservedCall) => ReturnType<typeof put>,
): Promise<ReservedCall | undefined> =>
  table.change<ReservedCall | undefined>([callKey(tenant, id)], ([item]) => {
    const row = item && isReserved(item) ? read(item, ReservedCallItem) : undefined;
    if (!item || !row || !applies(row)) return { writes: [], result: undefined };
    return { writes: [write(item, row)], result: row };
  });

const lapsedRecord = ({ call_id, tool, version, key, at }: ReservedCall): CallRecord => ({
  call_id,
  tool,
  version,
  arguments: null,
  status: 'interrupted',
  error: { type: 'Interrupted', message: `the process that ran ${tool} ended before the tool had answered` },
  duration_ms: 0,
  cpu_ms: 0,
  cpu_percent: 0,
  memory_delta_bytes: 0,
  memory_peak_bytes: 0,
  cached: false,
  attempts: 1,
  charged_micros: 0,
  key,
  at,
});
