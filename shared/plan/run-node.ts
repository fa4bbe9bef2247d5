import { type ExecuteContext, executeTool } from '../execute/execute.ts';
import { Fault } from '../kernel/errors.ts';
import type { Actor, ApiKey, Scope } from '../model/key.ts';
import type { NodeCall, NodeOutcome } from './run-deps.ts';

/** On whose behalf a run goes on, as its record keeps it. */
export interface RunActor {
  readonly key_id: string;
  readonly scopes: readonly Scope[];
  readonly tools?: readonly string[];
  readonly key?: Pick<ApiKey, 'quota'>;
  readonly on_behalf_of?: string;
}

export const runActorOf = ({ keyId, scopes, tools, key, onBehalfOf }: Actor): RunActor => ({
  key_id: keyId,
  scopes: [...scopes],
  ...(tools === undefined ? {} : { tools: [...tools] }),
  ...(key?.quota === undefined ? {} : { key: { quota: key.quota } }),
  on_behalf_of: onBehalfOf,
});

/** Runs one node through the layers of every call, for the key that started the run. */
export const runNode = async (context: ExecuteContext, call: NodeCall): Promise<NodeOutcome> => {
  const invocation = { name: call.node.tool, version: call.node.version, arguments: call.arguments };
  const options = { attempt: call.attempt, approvedBy: call.approvedBy };
  const outcome = await executeTool(context, actorOf(call), invocation, call.signal, options);
  return {
    status: outcome.status,
    call_id: outcome.call_id,
    ...(outcome.error === undefined ? { output: outcome.output } : { error: outcome.error }),
  };
};

const actorOf = ({ tenant, actor }: NodeCall): Actor => {
  const kept = actor as RunActor | null;
  if (!kept?.key_id) throw new Fault('Internal', 'the run does not say on whose behalf it goes on');
  return {
    keyId: kept.key_id,
    tenant,
    scopes: new Set(kept.scopes),
    ...(kept.tools === undefined ? {} : { tools: new Set(kept.tools) }),
    ...(kept.key === undefined ? {} : { key: kept.key as ApiKey }),
    onBehalfOf: kept.on_behalf_of,
  };
};
