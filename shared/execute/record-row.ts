import { callHour, callHourKey, callKey } from '../kernel/item-keys.ts';
import type { Item, Key, Table, Write } from '../kernel/ports.ts';
import { put, read } from '../kernel/stored.ts';
import { CallHourItem, CallItem, type CallRecord, isReserved, ReservedCallItem } from '../model/call-record.ts';

/** The ledger's retention of forty days; executions are listed for thirty of them. */
const RETENTION_SECONDS = 40 * 86_400;

/** When a row of the ledger expires, in seconds since 1970. */
export const rowExpires = (milliseconds: number): number => Math.floor(milliseconds / 1000) + RETENTION_SECONDS;

export const rowKey = (tenant: string, { call_id }: CallRecord): Key => callKey(tenant, call_id);

export const writeRow = (tenant: string, record: CallRecord): Write =>
  put(rowKey(tenant, record), CallItem, record, rowExpires(Date.parse(record.at)));

/** Whether a repeatable call can still end: its row is reserved, or the earlier try was refused or failed. */
export const isOpen = (row: Item | undefined): boolean =>
  row === undefined || isReserved(row) || ['refused', 'failed'].includes(read(row, CallItem).status);

/** The recount that counted a row while it was reserved. */
export const countedBy = (row: Item | undefined): number | undefined =>
  row && isReserved(row) ? read(row, ReservedCallItem).counted : undefined;

const MAX_MARKED = 20_000;

/** Marks the hour of a call before its row is stored, because the ledger is read by hours. Existing marks are kept. */
export const createHourMarks = (
  table: Table,
): ((tenant: string, milliseconds: number) => Promise<void> | undefined) => {
  const marked = new Set<string>();
  const mark = async (tenant: string, hour: string): Promise<void> => {
    const key = callHourKey(tenant, hour);
    const expires = rowExpires(Date.parse(`${hour}:00:00Z`)) + 3600;
    await table.change([key], ([known]) => ({
      writes: known ? [] : [put(key, CallHourItem, { hour }, expires)],
      result: undefined,
    }));
    if (marked.size > MAX_MARKED) marked.clear();
    marked.add(`${tenant} ${hour}`);
  };
  return (tenant, milliseconds) => {
    const hour = callHour(milliseconds);
    return marked.has(`${tenant} ${hour}`) ? undefined : mark(tenant, hour);
  };
};
