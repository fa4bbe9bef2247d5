import * as z from 'zod';
import type { CallOptions } from '../execute/call.ts';
import { type ExecuteContext, executeTool } from '../execute/execute.ts';
import { Fault } from '../kernel/errors.ts';
import { type Actor, type ApiKey, NewKey, Scope } from '../model/key.ts';
import type { NodeCall, NodeOutcome } from './run-deps.ts';

/** The actor that a run acts for, as stored with the run. */
const RunActor = z.object({
  key_id: z.string().min(1),
  scopes: z.array(Scope),
  tools: z.array(z.string()).optional(),
  key: z.object({ quota: NewKey.shape.quota }).optional(),
  on_behalf_of: z.string().optional(),
  depth: z.int().optional(),
  root: z.string().optional(),
});
export type RunActor = Readonly<z.infer<typeof RunActor>>;

export const toRunActor = ({ keyId, scopes, tools, key, onBehalfOf, planDepth, planRoot }: Actor): RunActor => ({
  key_id: keyId,
  scopes: [...scopes],
  tools: tools && [...tools],
  key: key?.quota && { quota: key.quota },
  on_behalf_of: onBehalfOf,
  depth: planDepth,
  root: planRoot,
});

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
