import { Fault } from '../kernel/errors.ts';
import type { Actor, Scope } from '../model/key.ts';

export const hasScope = ({ scopes }: Pick<Actor, 'scopes'>, scope: Scope): boolean =>
  scopes.has(scope) || scopes.has('admin') || (scope === 'read' && scopes.has('tenant_admin'));

/** Refuses an actor that has none of the scopes that the call needs, and names them. */
export const requireScope = (actor: Pick<Actor, 'scopes'>, ...scopes: readonly Scope[]): void => {
  for (const scope of scopes) if (hasScope(actor, scope)) return;
  throw new Fault(
    'Forbidden',
    `this key has the scopes ${[...actor.scopes].join(', ')}; this call needs ${scopes.join(' or ')}`,
    { scope: scopes[0], scopes: [...actor.scopes] },
  );
};

/** The operator acting for a tenant: the holder of the admin key, or the process itself. */
export const adminActor = (tenant = 'default'): Actor => ({
  keyId: 'admin',
  tenant,
  scopes: new Set<Scope>(['admin']),
});
