import type { CallContext } from '../../kernel/ports.ts';
import type { BuiltinJob, SentJob } from './builtin-child.ts';
import type { ChildPool } from './child-pool.ts';
import type { NodeGauge } from './gauge.ts';
import { toError } from './thrown.ts';

/** Runs a builtin in a separate process. Its timeout starts when its turn has come. */
export const runApart = async (
  pool: ChildPool,
  job: BuiltinJob,
  { tenant, signal, waits }: Pick<CallContext, 'tenant' | 'signal' | 'waits'>,
  gauge: Pick<NodeGauge, 'forCall'>,
  hasStarted?: () => void,
): Promise<unknown> => {
  const { promise: turn, resolve } = Promise.withResolvers<void>();
  waits?.(turn);
  const started = (): void => {
    resolve();
    hasStarted?.();
  };
  const sent: SentJob = { ...job, args: JSON.stringify(job.args) };
  const answer = await pool.run(sent, { tenant, signal, started, spent: gauge.forCall() });
  if ('thrown' in answer) throw toError(answer.thrown);
  return JSON.parse(answer.text);
};
