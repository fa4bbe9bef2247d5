import { Fault } from '../kernel/errors.ts';
import { timeOfUlid } from '../kernel/ids.ts';
import { callKey } from '../kernel/item-keys.ts';
import type { Clock, Table } from '../kernel/ports.ts';
import { type CallRecord, endedCall } from '../model/call-record.ts';
import { PLAN_HANDLER_PREFIX } from '../model/plan.ts';
import type { VersionRecord } from '../model/registration.ts';
import type { Call, CallOptions, CallResult } from './call.ts';

/** The ledger's record of an earlier try of the call. A refused call never ran, so it is tried again. */
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

/** The time of a call: a resumed call keeps its original time, and so its billing month. */
export const callTime = ({ clock }: { readonly clock: Pick<Clock, 'now'> }, once: CallOptions['once']): number =>
  (once?.earlier === undefined ? undefined : timeOfUlid(once.id)) ?? clock.now();

/** Whether another process may have taken the call over, because this one was suspended for too long. */
export const isLost = ({ options: { once } }: Pick<Call, 'options'>): boolean => once?.isLost?.() ?? false;

/** The error for a process that was suspended for too long. */
export const takenOver = ({ id }: Pick<Call, 'id'>): Fault =>
  new Fault(
    'Conflict',
    `the call ${id} was interrupted for too long and may have been taken over by another process; send the same request again`,
    {
      call_id: id,
    },
  );

/** The error for a call whose row has lapsed or was ended by another process. */
export const alreadyEnded = (id: string): Fault =>
  new Fault('Conflict', `the call ${id} has already ended, or its time ran out; read its record`, {
    call_id: id,
    ended: true,
  });

/** Whether an error is that one. */
export const isAlreadyEnded = (thrown: unknown): boolean => thrown instanceof Fault && thrown.details.ended === true;

/**
 * Whether running a version again has no second effect: it is declared idempotent, is a function of its arguments, or
 * is a resumable run.
 */
export const isIdempotent = ({ spec: { idempotent, implementation } }: VersionRecord): boolean => {
  if (idempotent !== undefined) return idempotent;
  if (implementation?.type !== 'internal') return implementation?.type === 'mock' || implementation?.type === 'builtin';
  return implementation.handler === 'iqa' || implementation.handler.startsWith(PLAN_HANDLER_PREFIX);
};

/** The result of a call whose tool had answered before its process died. */
export const answeredBefore = (output: unknown): CallResult => ({ ...notRunHere, status: 'ok', output });

const notRunHere = {
  durationMs: 0,
  usage: { cpuMs: 0, memoryDeltaBytes: 0, memoryPeakBytes: 0 },
  cached: false,
  chargedMicros: 0,
} as const;

/** The result of a call whose process died: its effect is unknown, so it is neither repeated nor charged. */
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
