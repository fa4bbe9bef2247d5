import { Fault } from '../kernel/errors.ts';
import type { Actor, Scope } from '../model/key.ts';

export const hasScope = ({ scopes }: Pick<Actor, 'scopes'>, scope: Scope): boolean =>
  scopes.has(scope) || scopes.has('admin');

/** Refuses an actor that lacks a scope, naming the one it needs. */
export const requireScope = (actor: Pick<Actor, 'scopes'>, scope: Scope): void => {
  if (hasScope(actor, scope)) return;
  throw new Fault('Forbidden', `this key has the scopes ${[...actor.scopes].join(', ')}; this call needs ${scope}`, {
    scope,
    scopes: [...actor.scopes],
  });
};

/** The operator acting for a tenant: the holder of the admin key, or the process itself. */
export const adminActor = (tenant = 'default'): Actor => ({
  keyId: 'admin',
  tenant,
  scopes: new Set<Scope>(['admin']),
});
