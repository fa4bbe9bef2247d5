import type { Reservation } from '../execute/meter.ts';
import { contentOf } from '../kernel/item-content.ts';
import { handedCallKey } from '../kernel/item-keys.ts';
import type { Table } from '../kernel/ports.ts';
import type { CallRecord } from '../model/call-record.ts';

/** A call whose caller did not wait for the run: what is needed to charge and record it when the run has ended. */
export interface HandedCall {
  /** As of the start; how it ended is filled in then. */
  readonly record: CallRecord;
  readonly reservation: Reservation;
  /** When the tool's time is up, in milliseconds since 1970. */
  readonly deadline: number;
  readonly settled?: true;
}

export const keepHandedCall = (table: Table, tenant: string, run: string, call: HandedCall): Promise<void> =>
  table.write([{ put: handedCallKey(tenant, run), body: { v: 1, ...call } }]);

/** The call that a run answers; undefined for a run that nobody called as a tool. */
export const readHandedCall = async (table: Table, tenant: string, run: string): Promise<HandedCall | undefined> => {
  const item = await table.get(handedCallKey(tenant, run));
  return item && contentOf(item);
};

/** Marks a call as settled and answers it to the one who may do so; to everybody else nothing. */
export const claimHandedCall = (table: Table, tenant: string, run: string): Promise<HandedCall | undefined> =>
  table.change<HandedCall | undefined>([handedCallKey(tenant, run)], ([item]) => {
    const call = item && contentOf<HandedCall>(item);
    if (!item || call?.settled) return { writes: [], result: undefined };
    return { writes: [{ put: item.key, body: { ...item.body, settled: true } }], result: call };
  });
