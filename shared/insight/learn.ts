import { effectivePermission } from '../access/permission.ts';
import { requireScope } from '../access/scopes.ts';
import { requireVisible, visibleTools } from '../access/visible-tools.ts';
import { Fault } from '../kernel/errors.ts';
import { timeOfUlid } from '../kernel/ids.ts';
import { callKey } from '../kernel/item-keys.ts';
import { isObject } from '../kernel/json.ts';
import { type CallRecord, endedCall } from '../model/call-record.ts';
import type { Actor } from '../model/key.ts';
import type { LearnedExample } from '../model/learned-example.ts';
import type { RegistryContext } from '../registry/context.ts';
import { findHandler } from '../registry/layer.ts';
import { findEntry } from '../registry/visible-entry.ts';
import { changeExamples, learnLesson, readExamples } from './examples.ts';

export interface LearnContext extends RegistryContext {
  /** Whether decisions are learned from; the operator can turn it off. */
  readonly learns: boolean;
}

/**
 * Learns from a decision that came out well: its request becomes an example of the chosen tool. Tools that need consent
 * or take secrets are left out.
 */
export const learnFromDecision = async (
  context: LearnContext,
  actor: Actor,
  decisionId: string,
  tool: string,
  from: LearnedExample['from'],
): Promise<void> => {
  requireScope(actor, 'invoke');
  if (!context.learns) return;
  const { tenant, keyId } = actor;
  const decision = await findDecision(context, actor, decisionId);
  const request = taskOf(decision);
  if (request === undefined || readTool(decision) !== tool || !(await mayLearn(context, actor, tool))) return;
  const at = new Date(context.clock.now()).toISOString();
  await changeExamples(context.table, tenant, tool, (before) =>
    learnLesson(before, { tool, request, key: keyId, from, at }),
  );
};

/** The record of a decision that this key made; a key cannot rate what another key decided. */
const findDecision = async ({ table }: RegistryContext, { tenant, keyId }: Actor, id: string): Promise<CallRecord> => {
  const call = timeOfUlid(id) === undefined ? undefined : endedCall(await table.get(callKey(tenant, id)));
  if (call?.tool !== 'decide' || call.key !== keyId)
    throw new Fault('NotFound', `this key has made no decision with the id ${JSON.stringify(id)}`, { decision_id: id });
  return call;
};

const taskOf = ({ arguments: given }: CallRecord): string | undefined =>
  isObject(given) && typeof given.task === 'string' ? given.task : undefined;

const readTool = ({ output }: CallRecord): unknown => (isObject(output) ? output.tool : undefined);

const mayLearn = async (context: RegistryContext, actor: Actor, name: string): Promise<boolean> => {
  const { catalog } = await context.catalogs.of(actor.tenant);
  const spec = findEntry(catalog, actor, name)?.record.spec;
  if (spec === undefined || /"(?:writeOnly|x-sensitive)":true/.test(JSON.stringify(spec.parameters))) return false;
  return effectivePermission(findHandler(context.handlers(), spec), spec) === 'safe';
};

export interface ListedExample extends LearnedExample {
  readonly tool: string;
}

/** The examples of the tools that a key sees, of one tool where it is named. */
export const listExamples = async (
  { table }: RegistryContext,
  actor: Actor,
  tool?: string,
): Promise<readonly ListedExample[]> => {
  requireScope(actor, 'read');
  const { only } = visibleTools(actor);
  return (await readExamples(table, actor.tenant))
    .filter((one) => (tool === undefined || one.tool === tool) && (only?.has(one.tool) ?? true))
    .flatMap((one) => one.examples.map((example) => ({ tool: one.tool, ...example })));
};

/** Forgets one example of a tool, or all of them. */
export const forgetExamples = async (
  { table }: RegistryContext,
  actor: Actor,
  tool: string,
  id?: string,
): Promise<void> => {
  requireScope(actor, 'write', 'tenant_admin');
  requireVisible(actor, tool);
  await changeExamples(table, actor.tenant, tool, (before) => {
    const examples = id === undefined ? [] : before.examples.filter((example) => example.id !== id);
    const isSame = examples.length === before.examples.length && (id !== undefined || before.pending.length === 0);
    return isSame ? before : { ...before, examples, pending: id === undefined ? [] : before.pending };
  });
};
