import type { AdminKey } from './access/admin-key.ts';
import type { KeyContext } from './access/api-keys.ts';
import type { AuthServer } from './access/auth-server.ts';
import { type Authenticator, createAuthenticator } from './access/authenticate.ts';
import type { Issuer } from './access/issuers.ts';
import { createRateLimiter, type RateLimiter } from './access/rate-limit.ts';
import { requireScope } from './access/scopes.ts';
import type { VerifyToken } from './access/token-actor.ts';
import type { Rate } from './access/token-bucket.ts';
import type { Llm } from './decide/llm.ts';
import type { Prices } from './execute/billing/prices.ts';
import { createMeter } from './execute/billing/quota.ts';
import type { QuotaHolding } from './execute/billing/quota-holders.ts';
import { callFolds } from './execute/billing/usage.ts';
import type { ExecuteContext } from './execute/execute.ts';
import { createLayerContext } from './execute/layer-context.ts';
import { freeMeter, type Meter } from './execute/meter.ts';
import { createRecentCalls, type RecentCalls } from './execute/recent-calls.ts';
import { createRecorder, type RecorderOptions } from './execute/recorder.ts';
import type { Memory } from './insight/memory.ts';
import type { Iqa } from './iqa/iqa.ts';
import type { FairTurns } from './kernel/fair-turns.ts';
import { lazily } from './kernel/lazily.ts';
import type { Blobs, Clock, Gauge, Log, Table, Timers } from './kernel/ports.ts';
import { noTracer, type Tracer } from './kernel/tracer.ts';
import type { Actor } from './model/key.ts';
import { withPlans } from './plan/plan-handlers.ts';
import type { Runs } from './plan/runs.ts';
import { settlingRuns } from './plan/settle-calls.ts';
import { createCatalogs } from './registry/catalogs.ts';
import type { Handlers, Loaded, LoadReport } from './registry/layer.ts';
import { loadLayer, type ToolSource } from './registry/load.ts';
import { registrySearch } from './registry/search-tool.ts';
import type { SentenceEncoder } from './search/sentence-encoder.ts';
import type { SourcePorts, SourcesContext } from './sources/context.ts';
import { noSources } from './sources/no-sources.ts';
import { openUpstreams } from './sources/open-upstreams.ts';
import { refreshQuietly } from './sources/refresh.ts';
import { withSources } from './sources/source-handlers.ts';
import type { SignPut } from './uploads/request-upload.ts';

/** The issuers of access tokens for this server, and their verification. */
export interface Oauth {
  readonly issuers: readonly Issuer[];
  readonly verifyToken: VerifyToken;
  /** Our own authorization server, if it is switched on. */
  readonly authServer?: AuthServer | undefined;
}

/** The ports of the product, given by each process. */
export interface AssayPorts {
  readonly table: Table;
  readonly clock: Clock;
  readonly timers: Timers;
  /** Divides the event loop between tenants; by their CPU time unless given. */
  readonly turns?: FairTurns;
  readonly log: Log;
  readonly random: (bytes: number) => Uint8Array;
  /** Finds shipped, configured and plugin tools, in order of precedence. */
  readonly discover: () => Promise<readonly ToolSource[]>;
  readonly handlers: Handlers;
  readonly adminKey?: AdminKey | undefined;
  /** Verifies access tokens, if issuers are configured. */
  readonly oauth?: Oauth | undefined;
  readonly freshMs?: number;
  /** The store of images, models and large results. */
  readonly blobs?: Blobs;
  /** The image-quality part, in processes that score pictures. */
  readonly iqa?: Iqa;
  /** Creates the engine of plans, on this machine or on Step Functions. */
  readonly startRuns?: (assay: Assay) => Runs & { close?(): Promise<void> };
  /** A language model for parts of the decision; rules decide without one. */
  readonly llm?: Llm;
  /** Ranks tools by the meaning of whole sentences too. */
  readonly encoder?: SentenceEncoder | undefined;
  /** Whether decisions that came out well become examples; true by default. */
  readonly learns?: boolean | undefined;
  /** Signs upload addresses for pictures, if uploads are possible. */
  readonly signPut?: SignPut;
  /** How many bytes of pictures a tenant may store in 30 days. */
  readonly storageBytes?: number;
  /** How many bytes of definitions a tenant may store. */
  readonly definitionBytes?: number | undefined;
  /** The rate of keys without one of their own, in this process; without it they are unlimited. */
  readonly defaultRate?: Rate | undefined;
  readonly gauge?: Gauge;
  /** The price list; without it nothing is charged and no quota applies. */
  readonly prices?: Prices;
  readonly meter?: Meter;
  /** Has the quotas that this process counts on recounted if it dies. */
  readonly quotaHolding?: QuotaHolding | undefined;
  /** How sources are reached; without it there are none. */
  readonly sources?: SourcePorts;
  readonly recording?: Pick<RecorderOptions, 'delayMs' | 'observe'>;
  /** Publishes a key to the edge at once, if there is one, so that a revocation does not wait for the stream. */
  readonly publishKey?: ((id: string) => Promise<void>) | undefined;
  /** Traces requests and runs; without it nothing is traced. */
  readonly tracer?: Tracer | undefined;
}

/** The whole product, composed once per process. */
export interface Assay extends ExecuteContext, KeyContext, SourcesContext {
  readonly authenticate: Authenticator;
  readonly oauth?: Oauth | undefined;
  readonly blobs?: Blobs;
  readonly iqa?: Iqa;
  readonly prices?: Prices;
  readonly signPut?: SignPut;
  readonly storageBytes?: number;
  readonly llm?: Llm;
  readonly learns: boolean;
  readonly memories?: ((tenant: string) => Promise<Memory>) | undefined;
  /** Runs plans, in processes that have an engine. */
  readonly runs?: Runs;
  readonly limitRate: RateLimiter;
  readonly recentCalls: RecentCalls;
  readonly timers: Timers;
  readonly tracer: Tracer;
  readonly publishKey?: ((id: string) => Promise<void>) | undefined;
  readonly report: () => LoadReport;
  /** Discovers the read-only layer again; tools that tenants registered stay. */
  readonly reload: (actor: Actor) => Promise<LoadReport>;
  /** Stores everything pending and closes the table. */
  readonly close: () => Promise<void>;
}

/** Imported with its word vectors by the first decision, not at every start. */
const lazyMemories = (table: Table) => {
  const create = lazily(async () => (await import('./insight/memory.ts')).createMemories(table));
  return async (tenant: string) => (await create())(tenant);
};

export const composeAssay = async (ports: AssayPorts): Promise<Assay> => {
  const { table, clock, timers, log, random, discover } = ports;
  const internal = new Map(ports.handlers.internal).set(
    'registry_search',
    registrySearch(() => catalogs),
  );
  const handlers = { builtin: ports.handlers.builtin, internal };
  let runs: ReturnType<NonNullable<AssayPorts['startRuns']>> | undefined;
  // Built once per load, because every call looks up its handler.
  const withHandlers = (next: Loaded): Loaded => ({
    ...next,
    handlers: withSources(
      withPlans(next.handlers, () => runs, timers),
      () => assay,
    ),
  });
  const load = async () => {
    const next = loadLayer(await discover(), handlers);
    for (const refused of next.report.refused) log.error('tool refused', { ...refused });
    for (const skipped of next.report.skipped) log.warn('tool skipped', { ...skipped });
    return next;
  };
  let loaded = withHandlers(await load());
  const catalogs = createCatalogs({
    table,
    clock,
    log,
    layer: loaded.layer,
    encoder: ports.encoder,
    freshMs: ports.freshMs,
  });
  const recentCalls = createRecentCalls();
  const observe: RecorderOptions['observe'] = (tenant, record) => {
    recentCalls.ended(tenant, record);
    ports.recording?.observe?.(tenant, record);
  };
  const recorder = createRecorder({ table, log, timers, folds: callFolds, ...ports.recording, observe });
  const { prices, quotaHolding: holding, gauge, turns } = ports;
  const meter = ports.meter ?? (prices ? createMeter({ table, clock, log, prices, holding }) : freeMeter);
  const limitRate = createRateLimiter(table, clock, ports.defaultRate);
  const { spend: spendRate } = limitRate;
  const sources = openUpstreams(ports.sources ?? noSources, (tenant, name) => void refreshQuietly(assay, tenant, name));
  const assay: Assay = {
    ...createLayerContext({ table, clock, timers, log, random, recorder, meter, spendRate, gauge, turns }),
    catalogs,
    handlers: () => loaded.handlers,
    limitRate,
    recentCalls,
    tracer: ports.tracer ?? noTracer,
    publishKey: ports.publishKey,
    random,
    sources,
    authenticate: createAuthenticator({
      table,
      clock,
      adminKey: ports.adminKey,
      verifyToken: ports.oauth?.verifyToken,
    }),
    oauth: ports.oauth,
    blobs: ports.blobs,
    iqa: ports.iqa,
    prices,
    llm: ports.llm,
    learns: ports.learns ?? true,
    memories: ports.learns === false ? undefined : lazyMemories(table),
    signPut: ports.signPut,
    storageBytes: ports.storageBytes,
    definitionBytes: ports.definitionBytes,
    report: () => loaded.report,
    reload: async (actor) => {
      requireScope(actor, 'admin');
      loaded = withHandlers(await load());
      catalogs.setLayer(loaded.layer);
      return loaded.report;
    },
    close: () =>
      closeInOrder([
        async () => catalogs.close(),
        () => runs?.close?.(),
        () => sources.close(),
        () => recorder.close(),
        () => meter.close(),
        () => ports.tracer?.close(),
        () => ports.encoder?.close(),
        () => ports.iqa?.engine.close(),
        () => table.close(),
      ]),
  };
  runs = ports.startRuns?.(assay);
  return runs === undefined ? assay : { ...assay, runs: settlingRuns(assay, runs) };
};

/** Closes every part, even if an earlier one fails; then throws the first error. */
const closeInOrder = async (closes: readonly (() => Promise<void> | undefined)[]): Promise<void> => {
  const errors: unknown[] = [];
  for (const close of closes)
    try {
      await close();
    } catch (thrown) {
      errors.push(thrown);
    }
  if (errors.length > 0) throw errors[0];
};
