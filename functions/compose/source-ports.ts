import { randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { LambdaAccess } from '../../shared/adapters/aws/lambda-upstream.ts';
import { Fault } from '../../shared/kernel/errors.ts';
import type { Table } from '../../shared/kernel/ports.ts';
import type { SafeFetch } from '../../shared/kernel/safe-fetch.ts';
import type { Source } from '../../shared/model/source.ts';
import { createAccounts } from '../../shared/sources/accounts.ts';
import { createClientTokens } from '../../shared/sources/client-tokens.ts';
import type { Configured, OperatorSource } from '../../shared/sources/configured.ts';
import type { OpenedUpstream, SourcePorts } from '../../shared/sources/context.ts';
import type { SourceSecrets } from '../../shared/sources/secrets.ts';
import { type SentCredentials, sendCredentials } from '../../shared/sources/send-credentials.ts';
import { withoutSecrets } from '../../shared/sources/without-secrets.ts';

interface Options {
  readonly allowed: SourcePorts['allowed'];
  readonly configured: Configured;
  /** Fetches from outside, with protection against internal addresses. */
  readonly fetch: SafeFetch;
  /** Where links to connect accounts are stored. */
  readonly table?: Table | undefined;
  /** Where credentials of sources are stored. */
  readonly secrets?: SourceSecrets | undefined;
  /** Reads the document that was uploaded with a source, if any. */
  readonly documentOf?: ((tenant: string, source: string) => Promise<string | undefined>) | undefined;
  readonly now: () => number;
  /** How the operator's functions are invoked; without it there are none. */
  readonly lambda?: LambdaAccess | undefined;
  /** Whether the process lives long enough to receive list changes. */
  readonly follows: boolean;
}

/** Opens sources, by their kind. */
export const sourcePorts = (options: Options): SourcePorts => {
  const { allowed, configured, fetch, table, secrets, now, lambda, follows } = options;
  const documentOf = options.documentOf ?? (async () => undefined);
  const tokenOf = createClientTokens(fetch, now);
  const accounts =
    secrets && table && createAccounts({ table, secrets, fetch, now, random: (bytes) => randomBytes(bytes) });
  const operators = new Map(configured.sources.map((one) => [`${one.tenant}#${one.source.name}`, one]));
  return {
    allowed,
    secrets,
    accounts,
    aliases: (tenant) => configured.functions.filter((one) => one.tenant === tenant).map(({ alias }) => alias),
    open(tenant, source, changed) {
      const { accounts: own, ...shared } = source;
      const owner = { tenant, source: source.name, url: source.url ?? '' };
      if (own)
        return upstreamByCaller({
          source: source.name,
          lister: own.listed_by,
          openFor: (keyId) => openAs(tenant, source, changed, keyId),
          replace: async (keyId) => (await accounts?.replace(owner, keyId)) === true,
        });
      return openAs(tenant, shared, changed, undefined);
    },
  };

  function openAs(tenant: string, source: Source, changed: () => void, keyId: string | undefined): OpenedUpstream {
    const operator = source.origin === 'config' ? operators.get(`${tenant}#${source.name}`) : undefined;
    const { kind, url } = source;
    const credentials = async (): Promise<SentCredentials> => {
      if (operator) return { headers: operator.headers ?? {}, query: {} };
      if (!source.has_secret || url === undefined) return { headers: {}, query: {} };
      const found = await secrets?.find({ tenant, source: source.name, url });
      if (!found)
        throw new Fault('Unavailable', `the credentials of the source ${source.name} are gone; give them again`);
      const { secret } = found;
      if (typeof secret !== 'object') return sendCredentials(found);
      if (secret.type === 'oauth') return sendCredentials(found, await tokenOf(secret));
      const isOwn = secret.type === 'account' && keyId !== undefined;
      return sendCredentials(
        found,
        isOwn ? await accounts?.token({ tenant, source: source.name, url }, keyId) : undefined,
      );
    };
    if (kind === 'openapi' && url !== undefined)
      return openLater(async () => {
        const { openApiUpstream } = await import('../../shared/sources/openapi/upstream.ts');
        const document = () => documentOf(tenant, source.name);
        return withoutSecrets(openApiUpstream({ url, fetch, credentials, document }), credentials);
      });
    if (kind === 'lambda') {
      const bound = configured.functions.find((one) => one.tenant === tenant && one.alias === source.alias);
      if (!bound || !lambda)
        throw new Fault('Unavailable', `the function ${source.alias} is not configured where this process runs`);
      return openLater(async () => {
        const { lambdaUpstream } = await import('../../shared/adapters/aws/lambda-upstream.ts');
        return lambdaUpstream(bound, lambda);
      });
    }
    if (kind !== 'mcp') throw new Fault('Unavailable', `this process cannot reach sources of the kind ${kind}`);
    const command = url === undefined ? requireCommand(source.name, operator) : undefined;
    return openLater(async () => {
      // The MCP client is loaded by the first use of a source, not at every start.
      const [{ mcpUpstream }, { connectHttp, connectStdio }] = await Promise.all([
        import('../../shared/adapters/mcp/mcp-upstream.ts'),
        import('../../shared/adapters/mcp/connect.ts'),
      ]);
      if (command) return mcpUpstream(connectStdio(command), changed);
      const connect = connectHttp({ url: url ?? '', fetch, credentials, follows });
      return withoutSecrets(mcpUpstream(connect, changed), credentials);
    });
  }
};

const MAX_CALLERS = 50;
const IDLE_MS = 10 * 60_000;

interface ByCaller {
  readonly source: string;
  /** The key whose account lists the tools. */
  readonly lister: string;
  readonly openFor: (keyId: string) => OpenedUpstream;
  /** Called when the upstream refuses a caller's token; returns whether there is a new one. */
  readonly replace: (keyId: string) => Promise<boolean>;
}

/** An upstream that each caller reaches with their own account, on connections of their own. */
const upstreamByCaller = ({ source, lister, openFor, replace }: ByCaller): OpenedUpstream => {
  const opened = new LRUCache<string, OpenedUpstream>({
    max: MAX_CALLERS,
    ttl: IDLE_MS,
    updateAgeOnGet: true,
    dispose: (upstream) => void upstream.close?.().catch(() => {}),
  });
  const of = (keyId: string): OpenedUpstream => {
    const known = opened.get(keyId);
    if (known) return known;
    const made = openFor(keyId);
    opened.set(keyId, made);
    return made;
  };
  /** An answer of 401 means that nothing ran, so the work is retried once with a refreshed token. */
  const asCaller = async <T>(keyId: string, work: (upstream: OpenedUpstream) => Promise<T>): Promise<T> => {
    try {
      return await work(of(keyId));
    } catch (thrown) {
      if (!isUnauthorized(thrown) || !(await replace(keyId))) throw thrown;
      return work(of(keyId));
    }
  };
  return {
    async list(signal) {
      try {
        return await asCaller(lister, (upstream) => upstream.list(signal));
      } catch (thrown) {
        if (!isUnauthorized(thrown)) throw thrown;
        throw new Fault(
          'AccountRequired',
          `its tools are listed by the account of the key ${lister}: connect it by POST /v1/sources/${source}/account with that key`,
        );
      }
    },
    call: (tool, args, context) => asCaller(context.keyId, (upstream) => upstream.call(tool, args, context)),
    async close() {
      const all = [...opened.values()];
      opened.clear();
      await Promise.allSettled(all.map((upstream) => upstream.close?.()));
    },
  };
};

const isUnauthorized = (thrown: unknown): boolean => {
  const { status, details } = thrown as { readonly status?: unknown; readonly details?: { readonly status?: unknown } };
  return (details?.status ?? status) === 401;
};

/** An upstream that is opened on first use. */
const openLater = (make: () => Promise<OpenedUpstream>): OpenedUpstream => {
  let made: Promise<OpenedUpstream> | undefined;
  const opened = (): Promise<OpenedUpstream> => {
    made ??= make();
    return made;
  };
  return {
    list: async (signal) => (await opened()).list(signal),
    call: async (tool, args, context) => (await opened()).call(tool, args, context),
    close: async () => (await made)?.close?.(),
  };
};

const requireCommand = (name: string, operator: OperatorSource | undefined) => {
  if (operator?.command) return operator.command;
  throw new Fault('Unavailable', `the source ${name} is a command of a configuration that this process has not read`);
};
