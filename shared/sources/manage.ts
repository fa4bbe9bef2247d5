import { hasScope, requireScope } from '../access/scopes.ts';
import { requireVisible, visibleTools } from '../access/visible-tools.ts';
import { suggest } from '../kernel/did-you-mean.ts';
import { Fault } from '../kernel/errors.ts';
import { sourceDocumentKey, sourceDueKey, sourceKey } from '../kernel/item-keys.ts';
import type { Write } from '../kernel/ports.ts';
import { put, read } from '../kernel/stored.ts';
import type { Credentials } from '../model/credentials.ts';
import type { Actor } from '../model/key.ts';
import { type NewSource, type Source, type SourceChange, SourceItem, type SourceRequest } from '../model/source.ts';
import type { SourcesContext } from './context.ts';
import { keepDocument } from './documents.ts';
import { readSources, requireSource, unknownSource } from './read-source.ts';
import { dueEntry, refreshQuietly, refreshSource } from './refresh.ts';
import { removeTools } from './remove-tools.ts';
import { type SourceView, viewSource } from './view.ts';

const MAX_SOURCES = 100;

/** Adds a source and lists its tools; one that cannot be reached yet is added with the error. */
export const addSource = async (
  context: SourcesContext,
  actor: Actor,
  { headers, secret, document, ...given }: SourceRequest,
): Promise<SourceView> => {
  requireManager(context, actor);
  requireAddress(given);
  requireAlias(context, actor.tenant, given);
  const credentials = credentialsOf(headers, secret);
  if (credentials) requireKeeper(context, given);
  const documents = writeDocument(actor.tenant, given, document);
  const known = await readSources(context.table, actor.tenant);
  if (known.length >= MAX_SOURCES)
    throw new Fault('Conflict', `this tenant has ${known.length} sources; the limit is ${MAX_SOURCES}: remove one`);
  const accounts = accountsOf(actor, secret);
  await storeSource(context, actor.tenant, { ...given, accounts }, 'request', credentials !== undefined, documents);
  if (credentials) await keepOrUndo(context, actor.tenant, given, credentials);
  return refreshOrLeave(context, actor.tenant, given.name);
};

/** Stores a new source; an existing name is a conflict. */
export const storeSource = async (
  { table, clock }: Pick<SourcesContext, 'table' | 'clock'>,
  tenant: string,
  given: NewSource & Pick<Source, 'accounts'>,
  origin: Source['origin'],
  hasSecret = false,
  more: readonly Write[] = [],
): Promise<Source> => {
  const now = clock.now();
  const at = new Date(now).toISOString();
  const source: Source = {
    ...given,
    origin,
    created_at: at,
    changed_at: at,
    due: now,
    has_secret: hasSecret || undefined,
  };
  return table.change([sourceKey(tenant, given.name)], ([item]) => {
    if (item)
      throw new Fault('Conflict', `there is a source named ${given.name}; change it, or choose another name`, {
        name: given.name,
      });
    return {
      writes: [put(sourceKey(tenant, given.name), SourceItem, source), dueEntry(tenant, source), ...more],
      result: source,
    };
  });
};

export const listSources = async (context: SourcesContext, actor: Actor): Promise<readonly SourceView[]> => {
  requireScope(actor, 'tenant_admin');
  const { catalog } = await context.catalogs.of(actor.tenant);
  const now = context.clock.now();
  return (await readSources(context.table, actor.tenant)).map((source) => viewSource(source, catalog.own, now));
};

export const getSource = async (context: SourcesContext, actor: Actor, name: string): Promise<SourceView> => {
  requireScope(actor, 'tenant_admin');
  return showSource(context, actor.tenant, await requireSource(context.table, actor.tenant, name));
};

/** Refreshes a source now. */
export const refreshNow = async (context: SourcesContext, actor: Actor, name: string): Promise<SourceView> => {
  requireManager(context, actor);
  return showSource(context, actor.tenant, await refreshSource(context, actor.tenant, name));
};

/** Changes settings and refreshes the tools by them. */
export const changeSource = async (
  context: SourcesContext,
  actor: Actor,
  name: string,
  { headers, secret, document, ...change }: SourceChange,
): Promise<SourceView> => {
  requireManager(context, actor);
  const { tenant } = actor;
  const credentials = credentialsOf(headers ?? undefined, secret ?? undefined);
  const isReplaced = headers !== undefined || secret !== undefined;
  const now = context.clock.now();
  const at = new Date(now).toISOString();
  const changed = await context.table.change([sourceKey(tenant, name)], ([item]) => {
    if (!item) throw unknownSource(name);
    const source = read(item, SourceItem);
    refuseConfigured(source);
    // Credentials are bound to the address they were given for.
    const isKept = isReplaced
      ? credentials !== undefined
      : source.has_secret && (change.url ?? source.url) === source.url;
    const accounts = isReplaced ? accountsOf(actor, secret) : isKept ? source.accounts : undefined;
    const next = { ...source, ...change, changed_at: at, has_secret: isKept ? true : undefined, accounts };
    const kept = Object.fromEntries(Object.entries(next).filter(([, value]) => value !== null && value !== undefined));
    requireAddress(kept as Source);
    const result = { ...(kept as Source), due: now };
    if (credentials) requireKeeper(context, result);
    const documents = writeDocument(tenant, result, document);
    return { writes: [put(item.key, SourceItem, result), dueEntry(tenant, result), ...documents], result };
  });
  if (credentials) await keepCredentials(context, tenant, changed, credentials);
  else if (!changed.has_secret) await context.sources.secrets?.drop({ tenant, source: name });
  context.sources.drop(tenant, name);
  return refreshOrLeave(context, tenant, name);
};

/** Removes a source and its tools; its call records stay. Idempotent. */
export const removeSource = async (context: SourcesContext, actor: Actor, name: string): Promise<void> => {
  requireManager(context, actor);
  const { tenant } = actor;
  await context.table.change([sourceKey(tenant, name)], ([item]) => {
    if (item) refuseConfigured(read(item, SourceItem));
    return { writes: [], result: undefined };
  });
  await dropSource(context, tenant, name);
};

/** Removes the source first, so that a refresh in progress registers nothing more. */
export const dropSource = async (context: SourcesContext, tenant: string, name: string): Promise<void> => {
  const key = sourceKey(tenant, name);
  await context.table.change([key], ([item]) => ({ writes: item ? [{ remove: key }] : [], result: undefined }));
  context.sources.drop(tenant, name);
  await context.sources.secrets?.drop({ tenant, source: name });
  await removeTools(context, tenant, name);
  await context.table.write([{ remove: sourceDueKey(tenant, name) }, { remove: sourceDocumentKey(tenant, name) }]);
};

const writeDocument = (
  tenant: string,
  { name, kind }: Pick<NewSource, 'name' | 'kind'>,
  document: SourceRequest['document'],
): readonly Write[] => {
  if (document === undefined) return [];
  if (kind !== 'openapi')
    throw new Fault('InvalidInput', `a source of the kind ${kind} has no document`, { field: 'document' });
  return [keepDocument(tenant, name, document)];
};

const credentialsOf = (headers: Credentials['headers'], secret: Credentials['secret']): Credentials | undefined =>
  headers === undefined && secret === undefined ? undefined : { headers, secret };

/** The account that lists the tools of a source with accounts: that of whoever set it up. */
const accountsOf = ({ keyId }: Actor, secret: Credentials['secret'] | null): Source['accounts'] =>
  typeof secret === 'object' && secret?.type === 'account' ? { listed_by: keyId } : undefined;

const requireKeeper = ({ sources }: SourcesContext, { kind, url }: Pick<NewSource, 'kind' | 'url'>): void => {
  if (url === undefined)
    throw new Fault('InvalidInput', `a source of the kind ${kind} takes no headers or secret`, { field: 'secret' });
  if (!sources.secrets)
    throw new Fault('Unavailable', 'this process cannot store secrets; configure their encryption key first');
};

const keepCredentials = async (
  { sources }: SourcesContext,
  tenant: string,
  { name, url = '' }: Pick<NewSource, 'name' | 'url'>,
  credentials: Credentials,
): Promise<void> => sources.secrets?.keep({ tenant, source: name, url }, credentials);

/** Stores the credentials; if that fails, the source is removed again. */
const keepOrUndo = async (
  context: SourcesContext,
  tenant: string,
  given: NewSource,
  credentials: Credentials,
): Promise<void> => {
  try {
    await keepCredentials(context, tenant, given, credentials);
  } catch (error) {
    await dropSource(context, tenant, given.name);
    throw error;
  }
};

/** Refreshes what was just stored; if the scheduled refresh was faster, its result is shown. */
const refreshOrLeave = async (context: SourcesContext, tenant: string, name: string): Promise<SourceView> => {
  await refreshQuietly(context, tenant, name);
  return showSource(context, tenant, await requireSource(context.table, tenant, name));
};

const showSource = async (context: SourcesContext, tenant: string, source: Source): Promise<SourceView> => {
  const { catalog } = await context.catalogs.of(tenant);
  return viewSource(source, catalog.own, context.clock.now());
};

/** Requires a key that may change sources: a tenant admin's, where the operator lets tenants have sources at all. */
export const requireManager = ({ sources }: SourcesContext, actor: Actor): void => {
  requireScope(actor, 'tenant_admin');
  const { only } = visibleTools(actor);
  if (only !== undefined) requireVisible(actor, '*');
  if (sources.allowed === 'tenants' || (sources.allowed === 'operator' && hasScope(actor, 'admin'))) return;
  throw new Fault(
    'Forbidden',
    sources.allowed === 'off'
      ? 'sources are switched off here; the operator switches them on with ASSAY_SOURCES'
      : 'only the operator may change sources here; the operator lets tenants do so with ASSAY_SOURCES=tenants',
  );
};

const refuseConfigured = ({ name, origin }: Source): void => {
  if (origin === 'config')
    throw new Fault('Forbidden', `the source ${name} is configured by the operator; change it in the configuration`, {
      name,
    });
};

/** A function must be among those bound to the tenant; a request cannot name an arbitrary function or ARN. */
const requireAlias = ({ sources }: SourcesContext, tenant: string, { alias }: Pick<NewSource, 'alias'>): void => {
  if (alias === undefined) return;
  const known = sources.aliases(tenant);
  if (known.includes(alias)) return;
  throw new Fault(
    'InvalidInput',
    `no function with the alias ${JSON.stringify(alias)} is configured for this tenant${suggest(alias, known)}`,
    { field: 'alias', value: alias },
  );
};

const requireAddress = ({ kind, url, alias }: Pick<NewSource, 'kind' | 'url' | 'alias'>): void => {
  const [field, other] = kind === 'lambda' ? ([alias, url] as const) : ([url, alias] as const);
  const name = kind === 'lambda' ? 'alias' : 'url';
  if (field === undefined)
    throw new Fault('InvalidInput', `a source of the kind ${kind} needs ${name}`, { field: name });
  if (other !== undefined)
    throw new Fault('InvalidInput', `a source of the kind ${kind} has ${name} and no other address`, {
      field: kind === 'lambda' ? 'url' : 'alias',
    });
};
