import { effectivePermission } from '../access/permission.ts';
import { requireScope } from '../access/scopes.ts';
import type { Invocation } from '../model/call.ts';
import type { Actor } from '../model/key.ts';
import type { ExecuteContext } from './call.ts';
import { resolveTool } from './resolve.ts';
import { requireHandler, timeoutMsOf } from './run-handler.ts';
import { makeQuote, type Quote } from './spend.ts';

/** What a call would cost, and whether it would need consent. Its arguments are checked, and nothing is recorded. */
export const quoteTool = async (
  context: ExecuteContext,
  actor: Actor,
  invocation: Invocation,
  maxMicros?: number,
): Promise<Quote> => {
  requireScope(actor, 'invoke');
  const { record } = await resolveTool(context, actor, invocation);
  const handler = requireHandler(record, context.handlers());
  context.checkArguments(record, invocation.arguments ?? {}, handler.parameters, actor.tenant);
  const { spec, version } = record;
  const price = context.meter.price({
    id: '',
    tenant: actor.tenant,
    keyId: actor.keyId,
    tool: spec.name,
    version,
    implementation: spec.implementation,
    priceMicros: spec.price_micros,
    at: context.clock.now(),
    timeoutMs: timeoutMsOf(record),
  });
  return { ...makeQuote(spec.name, price, maxMicros), version, permission: effectivePermission(handler, spec) };
};
