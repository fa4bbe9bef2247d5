import { requireScope } from '../access/scopes.ts';
import { requireVisible } from '../access/visible-tools.ts';
import { suggest } from '../kernel/did-you-mean.ts';
import { Fault } from '../kernel/errors.ts';
import type { Actor } from '../model/key.ts';
import type { Family, Registration } from '../model/registration.ts';
import { changeState, missingVersion, type StateChange } from './change-state.ts';
import type { RegistryContext } from './context.ts';
import { changeFamily } from './families.ts';
import { toRegistration } from './registration.ts';
import { refuseOwnedBySource } from './source-tools.ts';
import { resolveVersion } from './versions.ts';

/**
 * Enables, disables or deprecates a tool, or changes its default version; a shipped one can only be enabled and
 * disabled.
 */
export const changeTool = async (
  context: RegistryContext,
  actor: Actor,
  name: string,
  change: StateChange,
): Promise<Registration> => {
  requireScope(actor, 'write');
  requireVisible(actor, name);
  const { tenant } = actor;
  const { catalog } = await context.catalogs.of(tenant);
  const entry = catalog.find(name);
  if (entry?.shipped) refuseBeyondEnabled(name, change);
  const shipped = entry?.shipped ? entry.family : undefined;
  const changed = await changeFamily(context, tenant, name, context.clock.now(), (own) => {
    if (change.default_version !== undefined || (change.enabled === true && own?.disabled_reason !== undefined))
      refuseOwnedBySource(own, 'its versions are approved with POST /v1/sources/:name/approve');
    const family = shipped ? switchShipped(own, name, change.enabled) : own && changeState(own, change);
    return { family, result: family };
  });
  context.catalogs.changed(tenant);
  const family = shipped ? { ...shipped, enabled: changed?.enabled ?? true } : changed;
  if (!family) throw unknownTool(name, catalog.names());
  const record = resolveVersion(family, change.version);
  if (!record) throw missingVersion(family, change.version ?? 'default');
  return toRegistration(family, record);
};

const switchShipped = (own: Family | undefined, name: string, enabled: boolean | undefined): Family | undefined => {
  if (enabled === undefined) return own;
  if (enabled) return undefined;
  return own ?? { name, enabled: false, versions: [] };
};

const refuseBeyondEnabled = (name: string, change: StateChange): void => {
  const field =
    change.default_version !== undefined
      ? 'default_version'
      : change.deprecated !== undefined
        ? 'deprecated'
        : undefined;
  if (field === undefined) return;
  throw new Fault(
    'Forbidden',
    `${name} is a shipped tool: it can be enabled or disabled, but its ${field} cannot change`,
    {
      name,
      field,
    },
  );
};

export const unknownTool = (name: string, known: Iterable<string>): Fault =>
  new Fault('NotFound', `no tool named ${JSON.stringify(name)}${suggest(name, known)}`, { name });
