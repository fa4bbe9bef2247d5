import {
  type CallToolResult,
  type ClientCapabilities,
  inputResponse,
  MissingRequiredClientCapabilityError,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import * as z from 'zod';
import { hasScope, requireScope } from '../../../shared/access/scopes.ts';
import type { Assay } from '../../../shared/assay.ts';
import { Fault } from '../../../shared/kernel/errors.ts';
import type { Table } from '../../../shared/kernel/ports.ts';
import type { Actor } from '../../../shared/model/key.ts';
import type { RunView } from '../../../shared/model/run.ts';
import { type DeferredCall, readDeferredCall } from '../../../shared/plan/deferred-call.ts';
import { cancelRun, confirmNode, findSeenRun } from '../../../shared/plan/run-verbs.ts';
import type { Runs } from '../../../shared/plan/runs.ts';
import { outcomeOfRun } from '../../../shared/plan/settle-calls.ts';
import type { CallContext } from './call-context.ts';
import { cancelConsentTask, isConsentTask, viewConsentTask } from './consent-task.ts';
import { guarded } from './guarded.ts';
import { callMeta, toToolResult } from './result.ts';
import { buildInputRequests, type CreatedTask, type TaskView, toTask, waitingQuestions } from './task-view.ts';

const TASKS = 'io.modelcontextprotocol/tasks';
const extensions = { [TASKS]: {} };
/** The capabilities of a client that supports tasks. */
export const taskCapabilities: ClientCapabilities = { extensions };

const TaskParams = z.looseObject({ taskId: z.string().min(1).max(128) });

/** Whether the request says that its client supports tasks. */
const knowsTasks = (ctx: CallContext, capabilities: ClientCapabilities | undefined): boolean =>
  ctx.mcpReq.envelope !== undefined && capabilities?.extensions?.[TASKS] !== undefined;

/** Whether a call may return a task: the key must be able to read it. */
export const takesTasks = (ctx: CallContext, actor: Actor, capabilities?: ClientCapabilities): boolean =>
  knowsTasks(ctx, capabilities) && hasScope(actor, 'read');

/** Serves runs as tasks of 2026-07-28, which clients poll by `tasks/get`. */
export const serveTasks = (server: Server, assay: Assay, runs: Runs, actor: Actor): void => {
  server.registerCapabilities({ extensions });
  const handle = (method: string, work: (id: string, ctx: ServerContext) => Promise<object>): void =>
    server.setRequestHandler(method, { params: TaskParams }, ({ taskId }, ctx) =>
      guarded(assay, async () => {
        if (!knowsTasks(ctx, server.getClientCapabilities()))
          throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { extensions } });
        return { ...(await work(taskId, ctx)) };
      }),
    );

  handle('tasks/get', async (id) => {
    const { result, ...task } = await readTask(assay, runs, actor, id, server.getClientCapabilities());
    // The final answer of a call is a result with a type of its own.
    return result ? { ...task, result: { resultType: 'complete', ...result } } : task;
  });
  handle('tasks/update', async (id, ctx) => {
    requireScope(actor, 'approve');
    // A consent task asks nothing through the task, so there is nothing to answer.
    if (await isConsentTask(assay, actor, id)) return {};
    const context = { runs, table: assay.table };
    await answer(context, actor, await requireRun(context, actor, id), ctx);
    return {};
  });
  handle('tasks/cancel', async (id) => {
    await cancelTask(assay, runs, actor, id);
    return {};
  });
};

/** The state of a task: a run, or a call that waits for consent. */
export const readTask = async (
  assay: Assay,
  runs: Runs,
  actor: Actor,
  id: string,
  capabilities: ClientCapabilities | undefined,
): Promise<TaskView> => {
  requireScope(actor, 'read');
  const waiting = await viewConsentTask(assay, actor, id);
  return waiting ?? viewTask(assay, actor, await requireRun({ runs, table: assay.table }, actor, id), capabilities);
};

export const cancelTask = async (assay: Assay, runs: Runs, actor: Actor, id: string): Promise<void> => {
  if (await cancelConsentTask(assay, actor, id)) return;
  const context = { runs, table: assay.table };
  await requireRun(context, actor, id);
  await cancelRun(context, actor, id);
};

/** The answer of a call whose run continues. */
export const createdTask = async (assay: Assay, actor: Actor, run: RunView): Promise<CreatedTask> => ({
  resultType: 'task',
  ...toTask(run, await readDeferredCall(assay.table, actor.tenant, run.run_id)),
});

type TaskContext = { readonly runs: Runs; readonly table: Table };

const requireRun = async (context: TaskContext, actor: Actor, id: string): Promise<RunView> => {
  const run = await findSeenRun(context, actor, id);
  if (run) return run;
  throw new Fault('NotFound', `there is no task ${JSON.stringify(id)}`, { task_id: id });
};

const viewTask = async (
  assay: Assay,
  actor: Actor,
  run: RunView,
  capabilities: ClientCapabilities | undefined,
): Promise<TaskView> => {
  const call = await readDeferredCall(assay.table, actor.tenant, run.run_id);
  const task = toTask(run, call, capabilities);
  if (task.status === 'completed') return { ...task, result: await resultOfRun(assay, actor, run, call) };
  return task.status === 'input_required' ? { ...task, inputRequests: buildInputRequests(run, actor) } : task;
};

/** The answer that the call would have given if it had waited. */
const resultOfRun = async (
  assay: Assay,
  { tenant }: Actor,
  run: RunView,
  call: DeferredCall | undefined,
): Promise<CallToolResult> => {
  const outcome = await outcomeOfRun(assay, tenant, run, call);
  const result = await toToolResult(assay.blobs, tenant, { type: 'object' }, outcome);
  if (!call) return result;
  const { call_id, version, at } = call.record;
  const duration_ms = Date.parse(run.ended_at ?? run.started_at) - Date.parse(at);
  const charged_micros = outcome.status === 'ok' ? call.reservation.micros : 0;
  return { ...result, ...callMeta({ call_id, version, duration_ms, cached: false, charged_micros }) };
};

/**
 * Passes on the person's answers. Answers to questions that are no longer open are ignored, as the extension requires.
 */
const answer = async (context: TaskContext, actor: Actor, run: RunView, ctx: ServerContext): Promise<void> => {
  for (const [key, node] of waitingQuestions(run)) {
    const said = inputResponse(ctx.mcpReq.inputResponses, key);
    if (said.kind !== 'elicit') continue;
    const decision = { run: run.run_id, node: node.id, approve: said.action === 'accept' };
    await confirmNode(context, actor, decision).catch((thrown: unknown) => {
      // Somebody else decided first.
      if (!(thrown instanceof Fault && thrown.code === 'Conflict')) throw thrown;
    });
  }
};
