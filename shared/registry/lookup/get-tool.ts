import { requireScope } from '../../access/scopes.ts';
import { visibleTools } from '../../access/visible-tools.ts';
import { Fault } from '../../kernel/errors.ts';
import type { Actor } from '../../model/key.ts';
import type { Catalogs } from '../catalogs.ts';
import { type Entry, type SerializedAnswer, serializeAnswer } from '../entry.ts';
import { toRegistration } from '../registration.ts';
import type { TenantCatalog } from '../tenant-index.ts';
import { resolveVersion } from '../versions.ts';
import { requireEntry } from '../visible-entry.ts';
import type { CatalogView } from './definitions.ts';

interface LookupContext {
  readonly catalogs: Catalogs;
}

/** A tool's serialised response; synchronous while the catalogue is fresh. */
export const getTool = (
  { catalogs }: LookupContext,
  actor: Actor,
  name: string,
  version?: string,
): SerializedAnswer | Promise<SerializedAnswer> => {
  requireScope(actor, 'read');
  const answer = ({ catalog }: TenantCatalog): SerializedAnswer =>
    versionAnswer(requireEntry(catalog, actor, name), version);
  const found = catalogs.of(actor.tenant);
  return found instanceof Promise ? found.then(answer) : answer(found);
};

/** All versions of a tool. */
export const getVersions = async (
  { catalogs }: LookupContext,
  actor: Actor,
  name: string,
): Promise<SerializedAnswer> => {
  requireScope(actor, 'read');
  const { catalog } = await catalogs.of(actor.tenant);
  const { versions, default_version } = requireEntry(catalog, actor, name).family;
  return serializeAnswer({ versions, default_version });
};

/** The tools that the caller's models may be offered. */
export const viewFor = async ({ catalogs }: LookupContext, actor: Actor): Promise<CatalogView> => {
  requireScope(actor, 'read');
  const { catalog } = await catalogs.of(actor.tenant);
  return { catalog, confined: visibleTools(actor).only };
};

const versionAnswer = (entry: Entry, version: string | undefined): SerializedAnswer => {
  if (version === undefined) return entry.answer;
  const record = resolveVersion(entry.family, version);
  if (record) return serializeAnswer(toRegistration(entry.family, record));
  throw new Fault(
    'NotFound',
    `${entry.family.name} has no version ${version}; it has ${entry.registration.versions.join(', ')}`,
    { name: entry.family.name, version },
  );
};
