import { messageOf } from '../../kernel/errors.ts';
import type { CallRecord } from '../../model/call-record.ts';
import type { Actor } from '../../model/key.ts';
import type { ExecuteContext } from '../execute.ts';
import type { Remaining } from '../meter.ts';

/** A priced request that is not the call of one tool: scoring a picture, deciding, starting a run. */
export interface Operation {
  readonly name: string;
  readonly priceMicros: number;
  readonly requestId?: string;
  /** Names the ledger row, where the same work may be tried again. */
  readonly id?: string;
  readonly metered?: (remaining: Remaining) => void;
}

export interface Operated<T> {
  readonly value: T;
  readonly chargedMicros: number;
}

/** The version under which an operation stands in the ledger. */
export const OPERATION = 'operation';

/** Reserves an operation's price, does it, charges it once if it succeeded, and leaves its row in the ledger. */
export const operate = async <T>(
  context: Pick<ExecuteContext, 'clock' | 'meter' | 'recorder'>,
  actor: Actor,
  operation: Operation,
  work: () => Promise<{ readonly value: T; readonly cached: boolean; readonly micros?: number }>,
): Promise<Operated<T>> => {
  const { clock, meter, recorder } = context;
  const [id, at] = [operation.id ?? clock.newId(), clock.now()];
  const reservation = await meter.reserve({
    id,
    tenant: actor.tenant,
    keyId: actor.keyId,
    tool: operation.name,
    version: OPERATION,
    operationMicros: operation.priceMicros,
    at,
    quota: actor.key?.quota,
  });
  if (reservation.remaining) operation.metered?.(reservation.remaining);
  const about = { ...rowOf(operation, actor, id, at), duration_ms: 0 };
  try {
    const { value, cached, micros } = await work();
    const chargedMicros = await meter.settle(reservation, { status: 'ok', cached, micros });
    const row: CallRecord = {
      ...about,
      status: 'ok',
      cached,
      duration_ms: clock.now() - at,
      charged_micros: chargedMicros,
    };
    await recorder.keep(actor.tenant, row, chargedMicros > 0);
    return { value, chargedMicros };
  } catch (thrown) {
    await meter.settle(reservation, { status: 'failed', cached: false });
    const error = { type: thrown instanceof Error ? thrown.name : 'Error', message: messageOf(thrown) };
    await recorder.keep(actor.tenant, { ...about, status: 'failed', error, duration_ms: clock.now() - at }, false);
    throw thrown;
  }
};

const rowOf = (
  { name, requestId }: Operation,
  actor: Actor,
  id: string,
  at: number,
): Omit<CallRecord, 'status' | 'duration_ms'> => ({
  call_id: id,
  tool: name,
  version: OPERATION,
  arguments: null,
  cpu_ms: 0,
  cpu_percent: 0,
  memory_delta_bytes: 0,
  memory_peak_bytes: 0,
  cached: false,
  attempts: 1,
  charged_micros: 0,
  key: actor.keyId,
  at: new Date(at).toISOString(),
  request_id: requestId,
});
