import { requireScope } from '../access/scopes.ts';
import { type ExecutionsContext, listExecutions } from '../execute/executions.ts';
import type { Recorder } from '../execute/recorder.ts';
import { isObject } from '../kernel/json.ts';
import type { CallRecord } from '../model/call-record.ts';
import type { Actor } from '../model/key.ts';
import type { RunView } from '../model/run.ts';
import { findSeenRun, type RunContext } from './run-verbs.ts';

/** `waiting` is a running run with a node that waits for a person. */
export const RUN_FILTERS = ['running', 'waiting', 'ok', 'failed', 'cancelled'] as const;

interface Context extends RunContext, ExecutionsContext {
  readonly recorder: Pick<Recorder, 'flush'>;
}

interface RunsQuery {
  readonly status?: (typeof RUN_FILTERS)[number] | undefined;
  readonly limit: number;
  /** Exclusive: the call id to continue after, towards older ones. */
  readonly after?: string | undefined;
}

/** The most starts that are read for one page; then the page ends early, with a cursor. */
const MAX_LOOKED_AT = 500;

/** Runs that callers started, newest first, found by the records of their starts. */
export const listRuns = async (
  context: Context,
  actor: Actor,
  { status, limit, after }: RunsQuery,
): Promise<{ readonly runs: readonly RunView[]; readonly next?: string }> => {
  requireScope(actor, 'read');
  await context.recorder.flush();
  const runs: RunView[] = [];
  let last = after;
  for (let looked = 0; looked < MAX_LOOKED_AT; ) {
    const page = await listExecutions(context, actor, { tool: 'run', status: 'ok', limit, after: last });
    for (const start of page.executions) {
      looked++;
      last = start.call_id;
      const run = await runOf(context, actor, start);
      if (run && isAsked(run, status)) runs.push(run);
      if (runs.length === limit) return { runs, next: last };
    }
    if (page.next === undefined) return { runs };
    last = page.next;
  }
  return last === undefined ? { runs } : { runs, next: last };
};

const runOf = async (context: Context, actor: Actor, { output }: CallRecord): Promise<RunView | undefined> =>
  isObject(output) && typeof output.run_id === 'string' ? findSeenRun(context, actor, output.run_id) : undefined;

const isAsked = ({ status, nodes }: RunView, asked: RunsQuery['status']): boolean =>
  asked === undefined ||
  asked === status ||
  (asked === 'waiting' && status === 'running' && nodes.some((node) => node.status === 'waiting_approval'));
