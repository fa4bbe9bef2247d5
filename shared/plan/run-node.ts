import type { CallOptions } from '../execute/call.ts';
import { type ExecuteContext, executeTool } from '../execute/execute.ts';
import { Fault } from '../kernel/errors.ts';
import type { Actor, ApiKey } from '../model/key.ts';
import { RunActor } from './run-actor.ts';
import type { NodeCall, NodeOutcome } from './run-deps.ts';

/** Runs one node through the layers of every call, for the key that started the run. */
export const runNode = async (context: ExecuteContext, call: NodeCall): Promise<NodeOutcome> => {
  const invocation = { name: call.node.tool, version: call.node.version, arguments: call.arguments };
  const options: CallOptions = {
    attempt: call.attempt,
    approvedBy: call.approvedBy,
    answered: call.answered,
    once: {
      id: call.callId,
      earlier: call.cutOff && 'cut off',
      answer: call.cutOff?.answer,
      isLost: call.isLost,
    },
  };
  const outcome = await executeTool(context, readActor(call), invocation, call.signal, options);
  return {
    status: outcome.status === 'ok' ? 'ok' : 'failed',
    call_id: outcome.call_id,
    ...(outcome.error === undefined ? { output: outcome.output } : { error: outcome.error }),
  };
};

const readActor = ({ tenant, runId, actor }: NodeCall): Actor => {
  const { data: kept } = RunActor.safeParse(actor);
  if (!kept) throw new Fault('Unavailable', 'the stored run names no key to act for; start the plan again');
  return {
    keyId: kept.key_id,
    tenant,
    scopes: new Set(kept.scopes),
    tools: kept.tools && new Set(kept.tools),
    key: kept.key as ApiKey | undefined,
    onBehalfOf: kept.on_behalf_of,
    planDepth: kept.depth,
    planRoot: kept.root ?? runId,
  };
};
