import { requireScope } from '../access/scopes.ts';
import { requireVisible } from '../access/visible-tools.ts';
import { Fault } from '../kernel/errors.ts';
import type { Actor } from '../model/key.ts';
import type { Registration } from '../model/registration.ts';
import type { Tool } from '../model/tool.ts';
import type { RegistryContext } from './context.ts';
import { changeFamily } from './families.ts';
import { parseDefinition } from './parse-definition.ts';
import { type Registered, registerVersion, toRecord } from './register.ts';
import { toRegistration } from './registration.ts';
import { refuseOwnedBySource } from './source-tools.ts';

export interface RegisteredTool {
  readonly registration: Registration;
  readonly created: boolean;
}

/** Registers a definition for a tenant: a new tool, a new version, or an identical one. */
export const registerTool = async (
  context: RegistryContext,
  actor: Actor,
  input: unknown,
  makeDefault?: boolean,
): Promise<RegisteredTool> => {
  requireScope(actor, 'write');
  const { tenant } = actor;
  const spec = parseDefinition(input, context.handlers());
  requireVisible(actor, spec.name);
  await refuseShipped(context, tenant, spec);
  const now = context.clock.now();
  const record = toRecord(spec, new Date(now).toISOString());
  const registered = await changeFamily(context, tenant, spec.name, now, (family) => {
    refuseOwnedBySource(family, 'choose another name');
    const result = registerVersion(family?.versions.length === 0 ? undefined : family, record, makeDefault);
    return { family: result.family, result };
  });
  context.catalogs.changed(tenant);
  return {
    registration: toRegistration(registered.family, registered.record),
    created: registered.outcome !== 'identical',
  };
};

export interface CheckedTool {
  readonly spec: Tool;
  /** The id it would get, `name@version`. */
  readonly id: string;
  readonly outcome: Registered['outcome'];
  readonly becomesDefault: boolean;
}

/** Says what registering a definition would do; fails as registering would, and stores nothing. */
export const checkTool = async (context: RegistryContext, actor: Actor, input: unknown): Promise<CheckedTool> => {
  requireScope(actor, 'write');
  const { tenant } = actor;
  const spec = parseDefinition(input, context.handlers());
  requireVisible(actor, spec.name);
  await refuseShipped(context, tenant, spec);
  return changeFamily(context, tenant, spec.name, context.clock.now(), (stored) => {
    const { family, record, outcome } = registerVersion(
      stored?.versions.length === 0 ? undefined : stored,
      toRecord(spec),
    );
    const becomesDefault = family.default_version === record.version;
    return { family: stored, result: { spec, id: `${spec.name}@${record.version}`, outcome, becomesDefault } };
  });
};

const refuseShipped = async (context: RegistryContext, tenant: string, spec: Tool): Promise<void> => {
  const { catalog } = await context.catalogs.of(tenant);
  if (!catalog.layer.has(spec.name)) return;
  throw new Fault('Conflict', `${spec.name} is a shipped tool and cannot be redefined; choose another name`, {
    name: spec.name,
  });
};
