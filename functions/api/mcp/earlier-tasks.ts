import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { requireScope } from '../../../shared/access/scopes.ts';
import { isObject, type JsonObject } from '../../../shared/kernel/json.ts';
import { pause } from '../../../shared/kernel/pause.ts';
import type { Runs } from '../../../shared/plan/runs.ts';
import { callMcpTool } from './call-tool.ts';
import type { McpCaller } from './caller.ts';
import { endedTask } from './consent-task.ts';
import { guarded } from './guarded.ts';
import { silentContext } from './ordinary-call.ts';
import type { McpContext } from './server.ts';
import type { Task } from './task-view.ts';
import { cancelTask, readTask, taskCapabilities } from './tasks.ts';

/** The capabilities by which a server of 2025-11-25 declares tasks for tool calls. */
export const earlierTasks = { tasks: { cancel: {}, requests: { tools: { call: {} } } } };

const RELATED = 'io.modelcontextprotocol/related-task';
/** How long a request for a result waits for it. */
const MAX_WAITING_MS = 300_000;
const POLL_MS = 250;

/**
 * Tasks as in protocol 2025-11-25: a client requests one with its call, polls it, and fetches its result. They are the
 * same tasks as those of later clients. Undefined for every other request.
 */
export const answerEarlierTask = async (
  context: McpContext,
  caller: McpCaller,
  body: unknown,
  signal: AbortSignal,
): Promise<string | undefined> => {
  const { runs } = context.assay;
  const work = runs && isObject(body) ? findHandler(context, runs, caller, body, signal) : undefined;
  const id = isObject(body) ? body.id : undefined;
  if (!work || (typeof id !== 'string' && typeof id !== 'number')) return undefined;
  try {
    return JSON.stringify({ result: await guarded(context.assay, work), jsonrpc: '2.0', id });
  } catch (thrown) {
    if (!(thrown instanceof ProtocolError)) throw thrown;
    const { code, message, data } = thrown;
    return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, data } });
  }
};

const findHandler = (
  context: McpContext,
  runs: Runs,
  caller: McpCaller,
  { method, params }: JsonObject,
  signal: AbortSignal,
): (() => Promise<object>) | undefined => {
  if (!isObject(params)) return undefined;
  const { assay } = context;
  const { actor } = caller;
  if (method === 'tools/call') return isObject(params.task) ? createWork(context, caller, params, signal) : undefined;
  const { taskId: id } = params;
  if (typeof id !== 'string' || id === '' || id.length > 128) return undefined;
  const read = () => readTask(assay, runs, actor, id, undefined);
  if (method === 'tasks/get') return async () => toEarlier(await read());
  if (method === 'tasks/result') return () => resultOf(context, read, signal);
  if (method !== 'tasks/cancel') return undefined;
  return async () => {
    await cancelTask(assay, runs, actor, id);
    return toEarlier(await read());
  };
};

/** Starts a call as a task: one that continues, waits for a person, or has already ended. */
const createWork = (context: McpContext, caller: McpCaller, params: JsonObject, signal: AbortSignal) => {
  const { name, arguments: args = {}, _meta: meta = {} } = params;
  if (typeof name !== 'string' || !isObject(args) || !isObject(meta)) return undefined;
  return async () => {
    const { assay } = context;
    const { actor } = caller;
    // Without this scope the caller could never read the task's result.
    requireScope(actor, 'read');
    const asked = silentContext(meta, signal);
    const called = await callMcpTool(context, caller, { name, arguments: args }, asked, taskCapabilities);
    if ('task' in called) return { task: toEarlier(called.task) };
    if ('result' in called) return { task: toEarlier(await endedTask(assay, actor, name, called.result)) };
    throw new ProtocolError(ProtocolErrorCode.InternalError, `${name} asks what a task cannot be asked`);
  };
};

const resultOf = async (
  { assay: { clock, timers } }: McpContext,
  read: () => ReturnType<typeof readTask>,
  signal: AbortSignal,
): Promise<object> => {
  const started = clock.now();
  for (;;) {
    const { taskId, status, result, statusMessage } = await read();
    if (status === 'completed') return { ...result, _meta: { ...result?._meta, [RELATED]: { taskId } } };
    if (status === 'cancelled')
      throw new ProtocolError(ProtocolErrorCode.InternalError, `the task ${taskId} was cancelled`);
    if (signal.aborted || clock.now() - started > MAX_WAITING_MS)
      throw new ProtocolError(ProtocolErrorCode.InternalError, `the task ${taskId} goes on: ${statusMessage}`);
    await pause(timers, POLL_MS);
  }
};

const toEarlier = (task: Task): object => {
  const { taskId, status, statusMessage, createdAt, lastUpdatedAt, ttlMs, pollIntervalMs } = task;
  return { taskId, status, statusMessage, createdAt, lastUpdatedAt, ttl: ttlMs, pollInterval: pollIntervalMs };
};
