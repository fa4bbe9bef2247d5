import { Fault } from '../kernel/errors.ts';
import { timeOfUlid } from '../kernel/ids.ts';
import { callKey } from '../kernel/item-keys.ts';
import type { Clock, Table } from '../kernel/ports.ts';
import { type CallRecord, endedCall } from '../model/call-record.ts';
import { PLAN_HANDLER_PREFIX } from '../model/plan.ts';
import type { VersionRecord } from '../model/registration.ts';
import type { Call, CallOptions, CallResult } from './call.ts';

/** What the ledger has of a call that was asked for before. One that was refused never ran, and is tried anew. */
export const earlierCall = async (
  { table }: { readonly table: Table },
  tenant: string,
  once: CallOptions['once'],
): Promise<CallRecord | undefined> => {
  if (once?.earlier === undefined) return undefined;
  const item = await table.get(callKey(tenant, once.id));
  const record = endedCall(item);
  return record?.status === 'refused' ? undefined : record;
};

/** When a call was made: one that is gone on with keeps its time, and so its month. */
export const timeOf = ({ clock }: { readonly clock: Pick<Clock, 'now'> }, once: CallOptions['once']): number =>
  (once?.earlier === undefined ? undefined : timeOfUlid(once.id)) ?? clock.now();

/** Whether a repeat may have taken the call over, because this process was away for too long. */
export const isLost = ({ options: { once } }: Pick<Call, 'options'>): boolean => once?.isLost?.() ?? false;

/** The error for a process that resumed too late. */
export const takenOver = ({ id }: Pick<Call, 'id'>): Fault =>
  new Fault('Conflict', `the call ${id} was left for too long and may have been taken over; send it again as it is`, {
    call_id: id,
  });

/** The error for a call whose row lapsed or was ended by another process. */
export const hasEnded = (id: string): Fault =>
  new Fault('Conflict', `the call ${id} has already ended, or its time was up; look at its record`, {
    call_id: id,
    ended: true,
  });

/** Whether that is what was thrown. */
export const isEnded = (thrown: unknown): boolean => thrown instanceof Fault && thrown.details.ended === true;

/** Whether running a version again does nothing twice: it says so, is a function of its arguments, or a resumable run. */
export const isIdempotent = ({ spec: { idempotent, implementation } }: VersionRecord): boolean => {
  if (idempotent !== undefined) return idempotent;
  if (implementation?.type !== 'internal') return implementation?.type === 'mock' || implementation?.type === 'builtin';
  return implementation.handler === 'iqa' || implementation.handler.startsWith(PLAN_HANDLER_PREFIX);
};

/** How a call ends whose tool had answered when its process died. */
export const answeredBefore = (output: unknown): CallResult => ({ ...notRunHere, status: 'ok', output });

const notRunHere = {
  durationMs: 0,
  usage: { cpuMs: 0, memoryDeltaBytes: 0, memoryPeakBytes: 0 },
  cached: false,
  chargedMicros: 0,
} as const;

/** How a call ends whose process died: nobody knows what it did, so it is neither repeated nor charged. */
export const interrupted = (tool: string): CallResult => ({
  ...notRunHere,
  status: 'interrupted',
  error: {
    type: 'Interrupted',
    message:
      `the process that ran ${tool} ended before the tool had answered; it was not charged, and is not run again ` +
      'by itself since it may have had its effect: look, and send it with a new Idempotency-Key to run it again',
  },
});
