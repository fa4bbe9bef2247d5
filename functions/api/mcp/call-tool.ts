import type { CallToolResult, ClientCapabilities, InputRequiredResult } from '@modelcontextprotocol/server';
import { requireScope } from '../../../shared/access/scopes.ts';
import { visibleTools } from '../../../shared/access/visible-tools.ts';
import type { Assay } from '../../../shared/assay.ts';
import { type CallOptions, executeTool } from '../../../shared/execute/execute.ts';
import { Fault } from '../../../shared/kernel/errors.ts';
import type { JsonSchema } from '../../../shared/kernel/json.ts';
import type { CallingClient } from '../../../shared/kernel/ports.ts';
import type { Outcome } from '../../../shared/model/call.ts';
import type { Actor } from '../../../shared/model/key.ts';
import { callDeferred, type DeferredResult, findPlanId } from '../../../shared/plan/call-deferred.ts';
import { callTool, findTools, unwrapCall } from '../../../shared/providers/index.ts';
import type { Entry } from '../../../shared/registry/entry.ts';
import { requireEntry } from '../../../shared/registry/visible-entry.ts';
import { withPersonLink } from '../consent-link.ts';
import { askAccount } from './ask-account.ts';
import type { CallContext } from './call-context.ts';
import type { McpCaller } from './caller.ts';
import { askConsent, declined, readConsent } from './consent.ts';
import { waitAsTask } from './consent-task.ts';
import { findCatalogTools } from './find-tools.ts';
import { HALLMARK_META, isSigned, withoutHallmarks } from './hallmarks.ts';
import { reportProgress } from './progress.ts';
import { callMeta, refusalResult, toToolResult } from './result.ts';
import { callScore, scoreTool, seesScore } from './score-tool.ts';
import type { McpContext } from './server.ts';
import type { Task } from './task-view.ts';
import { createdTask, takesTasks } from './tasks.ts';

export interface CallParams {
  readonly name: string;
  readonly arguments?: Readonly<Record<string, unknown>>;
}

/** The result of a call, a question to a person before it can run, or the task as which it continues. */
export type Called =
  | { readonly result: CallToolResult; readonly outputSchema?: JsonSchema }
  | { readonly ask: InputRequiredResult }
  | { readonly task: Task };

export const callMcpTool = async (
  context: McpContext,
  caller: McpCaller,
  { name, arguments: given = {} }: CallParams,
  ctx: CallContext,
  capabilities: ClientCapabilities | undefined,
): Promise<Called> => {
  requireScope(caller.actor, 'invoke');
  if (!caller.isSearch || name !== callTool.name) {
    if (caller.isSearch && name === findTools.name)
      return { result: await findCatalogTools(context.assay, caller, given) };
    return dispatch(context, caller, { name, arguments: given }, ctx, capabilities);
  }
  // Inside call_tool every refusal is a result, so that the model can correct its call.
  const inner = unwrapCall({ name, arguments: given });
  if ('error' in inner) return { result: refusalResult(inner.error) };
  try {
    const called = await dispatch(context, caller, inner, ctx, capabilities);
    return 'result' in called ? { result: called.result } : called;
  } catch (thrown) {
    if (thrown instanceof Fault) return { result: refusalResult(thrown) };
    throw thrown;
  }
};

/** Runs a tool of the catalogue, or `score` if no tool of the tenant has this name. */
const dispatch = async (
  context: McpContext,
  caller: McpCaller,
  { name, arguments: args = {} }: CallParams,
  ctx: CallContext,
  capabilities: ClientCapabilities | undefined,
): Promise<Called> => {
  const { assay } = context;
  const { actor } = caller;
  const { catalog } = await assay.catalogs.of(actor.tenant);
  const { iqa } = assay;
  if (name !== scoreTool.name || catalog.find(name) || !seesScore(iqa, visibleTools(actor)))
    return run(context, caller, requireEntry(catalog, actor, name), args, ctx, capabilities);
  try {
    return { result: await callScore(assay, iqa, caller, args, ctx) };
  } catch (thrown) {
    if (thrown instanceof Fault) return { result: refusalResult(thrown) };
    throw thrown;
  }
};

const run = async (
  context: McpContext,
  { actor, requestId, once, console: place }: McpCaller,
  entry: Entry,
  args: Readonly<Record<string, unknown>>,
  ctx: CallContext,
  capabilities: ClientCapabilities | undefined,
): Promise<Called> => {
  const { name } = entry.family;
  const consent = readConsent(ctx);
  if (consent.answer === 'declined') return { result: await declined(context.assay, actor, name, consent.token) };
  const progress = reportProgress(ctx);
  const isTask = context.assay.runs !== undefined && takesTasks(ctx, actor, capabilities);
  try {
    const asked = { arguments: args, confirmation: consent.answer === 'accepted' ? consent.token : undefined };
    const options = {
      ...progress.extras,
      requestId,
      once,
      maxMicros: spendLimit(ctx),
      client: createClient(ctx, capabilities),
    };
    const plan = isTask ? findPlanId(entry.record) : undefined;
    const handed = await begin(context.assay, actor, { ...asked, entry, plan }, ctx.mcpReq.signal, options);
    if ('run' in handed) return { task: await createdTask(context.assay, actor, handed.run) };
    const schema = context.book.tool(entry)?.outputSchema as JsonSchema | undefined;
    const result = await resultFor(context.assay, actor.tenant, entry, shownOutcome(entry, handed.outcome, ctx));
    return schema === undefined ? { result } : { result, outputSchema: schema };
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown;
    const refusal = withPersonLink<Fault>(thrown, place);
    const ask =
      askConsent(thrown, { tool: name, args, actor, consent, capabilities, console: place }) ??
      askAccount(refusal, ctx, capabilities);
    if (ask) return { ask };
    const isAsked = isTask && consent.answer === 'none' && refusal.code === 'ConfirmationRequired';
    if (!isAsked) return { result: refusalResult(refusal) };
    return { task: await waitAsTask(context.assay, actor, refusal, { entry, args, maxMicros: spendLimit(ctx) }) };
  } finally {
    progress.stop();
  }
};

interface Asked {
  readonly entry: Entry;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly confirmation?: string;
  /** The plan behind the tool, if the call may continue as a task. */
  readonly plan: string | undefined;
}

/** Runs a tool to its end; for a client with tasks, a plan only until its run has started. */
const begin = async (
  assay: Assay,
  actor: Actor,
  { entry, plan, ...asked }: Asked,
  signal: AbortSignal,
  options: CallOptions,
): Promise<DeferredResult> => {
  if (plan !== undefined && assay.runs)
    return callDeferred(assay, assay.runs, actor, { ...asked, tool: entry.record, planId: plan }, signal, options);
  return { outcome: await executeTool(assay, actor, { ...asked, name: entry.family.name }, signal, options) };
};

const shownOutcome = (entry: Entry, outcome: Outcome, ctx: CallContext): Outcome =>
  !isSigned(entry.record.spec) || ctx.mcpReq._meta?.[HALLMARK_META] === true
    ? outcome
    : { ...outcome, output: withoutHallmarks(outcome.output) };

const resultFor = async (
  { blobs }: Assay,
  tenant: string,
  entry: Entry,
  outcome: Outcome,
): Promise<CallToolResult> => ({
  ...(await toToolResult(blobs, tenant, entry.record.spec.output_schema, outcome)),
  ...callMeta(outcome),
});

/** The client's limit on the price of a call, from its `_meta`. */
const spendLimit = (ctx: CallContext): number | undefined => {
  const said = ctx.mcpReq._meta?.['assay/max_micros'];
  if (said === undefined || (typeof said === 'number' && Number.isSafeInteger(said) && said >= 0)) return said;
  throw new Fault('InvalidInput', '_meta["assay/max_micros"] must be a whole number from 0', { field: '_meta' });
};

/** What a tool may send to the client while it runs. Since 2026-07-28 a client cannot be asked during a call. */
const createClient = (ctx: CallContext, capabilities: ClientCapabilities | undefined): CallingClient => {
  const log: CallingClient['log'] = (level, message) => void ctx.mcpReq.log(level, message).catch(() => {});
  const isModern = ctx.mcpReq.envelope !== undefined;
  if (isModern || !(capabilities?.elicitation || capabilities?.sampling)) return { log };
  return { log, request: (method, params) => ctx.mcpReq.send({ method, params }) };
};
