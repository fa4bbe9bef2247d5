import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Assay } from '../../../shared/assay.ts';
import { executeTool } from '../../../shared/execute/execute.ts';
import {
  advanceWaitingCall,
  cancelWaitingCall,
  findWaitingCall,
  type RunWaiting,
  storeEndedCall,
  storeWaitingCall,
  type WaitingCall,
} from '../../../shared/execute/waiting-call.ts';
import { Fault } from '../../../shared/kernel/errors.ts';
import { isObject } from '../../../shared/kernel/json.ts';
import type { Actor } from '../../../shared/model/key.ts';
import type { Entry } from '../../../shared/registry/entry.ts';
import { requireEntry } from '../../../shared/registry/visible-entry.ts';
import { refuseQuestion } from './consent.ts';
import { isSigned, withoutHallmarks } from './hallmarks.ts';
import { linkLongResult } from './links.ts';
import { callMeta, refusalResult, toToolResult } from './result.ts';
import type { CreatedTask, Task, TaskView } from './task-view.ts';

const PREFIX = 'consent_';
const POLL_MS = 2000;
/** The longest timeout of any tool. */
const LONGEST_MS = 900_000;

/** A task that waits for a person's consent, for a client that supports tasks and cannot ask. */
export const waitAsTask = async (
  assay: Assay,
  actor: Actor,
  { message, details }: Fault,
  asked: {
    readonly entry: Entry;
    readonly args: Readonly<Record<string, unknown>>;
    readonly maxMicros: number | undefined;
  },
): Promise<CreatedTask> => {
  const { id, token, expires_at } = isObject(details.confirmation) ? details.confirmation : {};
  const call = await storeWaitingCall(assay, actor, {
    invocation: { name: asked.entry.family.name, arguments: asked.args },
    version: asked.entry.record.version,
    maxMicros: asked.maxMicros,
    confirmation: { id: String(id), token: String(token), expires_at: String(expires_at) },
  });
  return { resultType: 'task', ...toTask(call), statusMessage: message };
};

/** The task of a call that ended immediately, for a client that always wants a task. */
export const endedTask = async (assay: Assay, actor: Actor, tool: string, result: CallToolResult): Promise<Task> =>
  toTask(await storeEndedCall(assay, actor, { tool, answer: await linkLongResult(assay.blobs, actor.tenant, result) }));

/** The state of such a task. Polling it also advances it: once a person has approved the call, it runs. */
export const viewConsentTask = async (assay: Assay, actor: Actor, taskId: string): Promise<TaskView | undefined> => {
  const call = await findTask(assay, actor, taskId);
  if (!call) return undefined;
  const now = await advanceWaitingCall(assay, actor, call, runFor(assay, actor));
  const task = toTask(now);
  return task.status === 'completed' ? { ...task, result: now.end?.answer as CallToolResult } : task;
};

/** Withdraws the question; a call that already runs continues. Returns whether the task exists. */
export const cancelConsentTask = async (assay: Assay, actor: Actor, taskId: string): Promise<boolean> => {
  const call = await findTask(assay, actor, taskId);
  if (!call) return false;
  await cancelWaitingCall(assay, actor.tenant, call);
  await refuseQuestion(assay, actor, call.token);
  return true;
};

/** Whether an id is a consent task of this caller. */
export const isConsentTask = async (assay: Assay, actor: Actor, taskId: string): Promise<boolean> =>
  (await findTask(assay, actor, taskId)) !== undefined;

const findTask = async ({ table }: Assay, actor: Actor, taskId: string): Promise<WaitingCall | undefined> =>
  taskId.startsWith(PREFIX) ? findWaitingCall(table, actor, taskId.slice(PREFIX.length)) : undefined;

/** Runs the call to its end, even if the client disconnects; the next poll returns the result. */
const runFor =
  (assay: Assay, actor: Actor): RunWaiting =>
  async (invocation, once, { max_micros: maxMicros }) => {
    const { tenant } = actor;
    try {
      const { catalog } = await assay.catalogs.of(tenant);
      const { spec } = requireEntry(catalog, actor, invocation.name).record;
      const signal = AbortSignal.timeout(LONGEST_MS);
      const outcome = await executeTool(assay, actor, invocation, signal, { once, maxMicros });
      const shown = isSigned(spec) ? { ...outcome, output: withoutHallmarks(outcome.output) } : outcome;
      const result = { ...(await toToolResult(assay.blobs, tenant, spec.output_schema, shown)), ...callMeta(outcome) };
      return await linkLongResult(assay.blobs, tenant, result);
    } catch (thrown) {
      if (thrown instanceof Fault) return refusalResult(thrown);
      throw thrown;
    }
  };

const toTask = ({ id, created_at, expires_at, lease, end }: WaitingCall): Task => ({
  taskId: PREFIX + id,
  status: end?.is_cancelled ? 'cancelled' : end ? 'completed' : 'working',
  statusMessage: end
    ? 'it has ended'
    : lease
      ? 'it runs'
      : `waiting for a person's consent: have the confirmation ${id} approved until ${expires_at} (in the console, by "assay confirmations approve ${id}", or by POST /v1/confirmations)`,
  createdAt: created_at,
  lastUpdatedAt: end?.at ?? created_at,
  ttlMs: end ? null : Date.parse(expires_at) - Date.parse(created_at),
  pollIntervalMs: POLL_MS,
});
