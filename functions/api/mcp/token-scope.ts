import { requireScope } from '../../../shared/access/scopes.ts';
import { usesToken } from '../../../shared/access/token-actor.ts';
import { isObject } from '../../../shared/kernel/json.ts';
import type { Actor, Scope } from '../../../shared/model/key.ts';

const scopeOf = new Map<unknown, Scope>([
  ['tools/list', 'read'],
  ['tools/call', 'invoke'],
]);

/**
 * Refuses a token without the scope of a method before the protocol answers: only HTTP's 403 makes a client request
 * more scopes from its authorization server.
 */
export const requireTokenScope = (actor: Actor, body: unknown): void => {
  const scope = usesToken(actor) && isObject(body) ? scopeOf.get(body.method) : undefined;
  if (scope !== undefined) requireScope(actor, scope);
};
