import { randomBytes } from 'node:crypto';
import { type AdminKey, anyAdminKey, expiringAdminKey, fixedAdminKey } from '../../shared/access/admin-key.ts';
import { digestOfKey } from '../../shared/access/secret.ts';
import type { LambdaAccess } from '../../shared/adapters/aws/lambda-upstream.ts';
import { laterFetch } from '../../shared/adapters/egress/later-fetch.ts';
import { createDiscover } from '../../shared/adapters/files/discover.ts';
import { localSignPut } from '../../shared/adapters/files/signed-put.ts';
import { createPictureBudget } from '../../shared/adapters/images/picture-budget.ts';
import { defaultLimits } from '../../shared/adapters/images/picture-formats.ts';
import { openAiCompatibleLlm } from '../../shared/adapters/llm/openai-compatible.ts';
import { type NodeGauge, nodeGauge } from '../../shared/adapters/node/gauge.ts';
import { createPluginHost } from '../../shared/adapters/node/plugin-host.ts';
import { findEncoderFiles } from '../../shared/adapters/onnx/encoder-files.ts';
import { sentenceEncoder } from '../../shared/adapters/onnx/sentence-encoder.ts';
import { createTracing } from '../../shared/adapters/otel/tracing.ts';
import { systemClock } from '../../shared/adapters/system-clock.ts';
import { systemTimers } from '../../shared/adapters/system-timers.ts';
import { type Assay, composeAssay } from '../../shared/assay.ts';
import { lazily } from '../../shared/kernel/lazily.ts';
import type { Clock, Log } from '../../shared/kernel/ports.ts';
import type { SafeFetch } from '../../shared/kernel/safe-fetch.ts';
import type { DataKeys } from '../../shared/kernel/secret-box.ts';
import { tracedBlobs, tracedTable } from '../../shared/kernel/traced-ports.ts';
import type { CallRecord } from '../../shared/model/call-record.ts';
import { definitionLimit } from '../../shared/registry/definition-bytes.ts';
import type { ToolSource } from '../../shared/registry/load.ts';
import { type Configured, nothingConfigured } from '../../shared/sources/configured.ts';
import { findDocument } from '../../shared/sources/documents.ts';
import { createSourceSecrets } from '../../shared/sources/secrets.ts';
import { refusedPicture } from '../../shared/uploads/refused-picture.ts';
import { storageLimit, storeBytes } from '../../shared/uploads/storage.ts';
import { builtinTools } from './builtin-tools.ts';
import { configFileOf, type Environment } from './local-environment.ts';
import { localIqa } from './local-iqa.ts';
import { localQuotas } from './local-quotas.ts';
import { localRuns } from './local-runs.ts';
import { dataDirectory, inMemory, type LocalStore } from './local-store.ts';
import { composeOauth, type OwnServer } from './oauth.ts';
import { shippedHandlers, shippedPrices, shippedTools } from './shipped-tools.ts';
import { sourcePorts } from './source-ports.ts';

export interface LocalOptions {
  readonly environment: Environment;
  /** The data directory; without one, all data is in memory only. */
  readonly data?: string | undefined;
  readonly log: Log;
  /** An admin key for this process only. */
  readonly adminKey?: string | undefined;
  /** Another admin key, which expires. */
  readonly linkKey?: { readonly key: string; readonly until: number } | undefined;
  /** The address of this process, if it listens: pictures can be uploaded there. */
  readonly base?: (() => string) | undefined;
  /** Whether it resumes runs of dead processes, as servers do. */
  readonly takesUpRuns?: boolean | undefined;
  /** Receives the record of every call. */
  readonly observe?: ((tenant: string, record: CallRecord) => void) | undefined;
  /** The system clock by default. */
  readonly clock?: Clock | undefined;
  /** Finds tools besides the shipped ones; by default in the configuration and plugins of the working directory. */
  readonly discover?: (() => Promise<readonly ToolSource[]>) | undefined;
  /** The sources of the configuration; none by default. */
  readonly configured?: Configured | undefined;
  /** Fetches from sources; by default with protection against internal addresses. */
  readonly fetch?: SafeFetch | undefined;
}

/** The whole product on one machine. */
export const localAssay = async (options: LocalOptions): Promise<Assay> => {
  const { environment, data, log, base, clock = systemClock() } = options;
  const files = environment.ASSAY_FILES_DIR;
  const opened = data === undefined ? inMemory(clock, files) : dataDirectory(data, clock, files);
  const store = { ...opened, table: tracedTable(opened.table), blobs: tracedBlobs(opened.blobs) };
  const gauge = nodeGauge();
  const discover = options.discover ?? discoverHere(environment, gauge, data);
  const memory = environment.ASSAY_PICTURE_MEMORY_MB * 2 ** 20;
  const images = {
    budget: createPictureBudget({ bytes: memory }),
    limits: { ...defaultLimits, pixels: environment.ASSAY_MAX_MEGAPIXELS * 1e6, memory },
  };
  const storageBytes = storageLimit(environment.ASSAY_STORAGE_MB);
  const admitBytes = (tenant: string, bytes: number) =>
    storeBytes({ table: store.table, clock, storageBytes }, tenant, bytes);
  const refusalOf = refusedPicture(store.table);
  const providers = environment.ASSAY_PROVIDERS;
  const iqa = localIqa({ store, clock, log, providers, admitBytes, refusalOf, ...images });
  const shipped = { iqa, builtin: builtinTools({ gauge, readImage: iqa.readImage, folderOf: store.filesOf, images }) };
  const secret = base && store.uploadSecret?.();
  const { ASSAY_DEFAULT_RATE: rate } = environment;
  const fetch = options.fetch ?? laterFetch({ allowed: environment.ASSAY_EGRESS });
  return composeAssay({
    table: store.table,
    clock,
    timers: systemTimers,
    defaultRate: rate === 'off' ? undefined : rate,
    log,
    random: (bytes) => randomBytes(bytes),
    discover: async () => [await shippedTools(shipped), ...(await discover())],
    handlers: shippedHandlers(shipped),
    gauge,
    blobs: store.blobs,
    iqa,
    prices: shippedPrices(),
    quotaHolding: base && localQuotas({ table: store.table, clock, timers: systemTimers, log, random: randomBytes }),
    sources: sourcePorts({
      allowed: environment.ASSAY_SOURCES,
      configured: options.configured ?? nothingConfigured,
      fetch,
      documentOf: (tenant, source) => findDocument(store.table, tenant, source),
      table: store.table,
      secrets: createSourceSecrets(store.table, lazyKeys(store.dataKeys)),
      now: clock.now,
      lambda: lambdaAccess(environment),
      follows: base !== undefined,
    }),
    recording: options.observe && { observe: options.observe },
    tracer: await createTracing({ table: opened.table, clock, log, environment }),
    llm: createLlm(environment),
    learns: environment.ASSAY_LEARN === 'on',
    encoder: base && createEncoder(environment, log),
    startRuns: (context) => localRuns(context, store.blobs, options.takesUpRuns ?? base !== undefined),
    storageBytes,
    definitionBytes: definitionLimit(environment.ASSAY_TOOLS_MB),
    signPut: base && secret && localSignPut({ secret, base, now: clock.now }),
    adminKey: adminKeys(options, clock),
    oauth: composeOauth({ issuers: environment.ASSAY_ISSUERS, fetch, clock, own: ownServer(options, store) }),
  });
};

/** Our own authorization server, if it is switched on and this process listens. */
const ownServer = ({ environment, base }: LocalOptions, store: LocalStore): OwnServer | undefined => {
  const { ASSAY_AUTH_SERVER: setting, ASSAY_AUTH_REGISTRATION: registration } = environment;
  if (setting === 'off' || !base || !store.tokenKey) return undefined;
  const issuer = setting === 'on' ? base : () => new URL(setting).origin;
  return { issuer, table: store.table, signingKey: store.tokenKey(), registers: registration === 'on' };
};

/** The AWS credentials of the environment for running functions, if it has any. */
const lambdaAccess = (environment: Environment): LambdaAccess | undefined => {
  const { AWS_REGION: region, AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = environment;
  if (region === undefined || accessKeyId === undefined || secretAccessKey === undefined) return undefined;
  const credentials = () => ({ accessKeyId, secretAccessKey, sessionToken: environment.AWS_SESSION_TOKEN });
  return { region, credentials, endpoint: environment.AWS_ENDPOINT_URL_LAMBDA };
};

/** Creates the key of secrets with the first secret. */
const lazyKeys = (make: () => DataKeys): DataKeys => {
  const keys = lazily(make);
  return { create: (context) => keys().create(context), open: (wrapped, context) => keys().open(wrapped, context) };
};

const adminKeys = ({ adminKey, linkKey, environment }: LocalOptions, { now }: Clock): AdminKey => {
  const lasting = adminKey ?? environment.ASSAY_ADMIN_KEY;
  const fixed = (key: string): AdminKey => fixedAdminKey(digestOfKey(key));
  return anyAdminKey([
    ...(lasting === undefined ? [] : [fixed(lasting)]),
    ...(linkKey === undefined ? [] : [expiringAdminKey(fixed(linkKey.key), linkKey.until, now)]),
  ]);
};

const discoverHere = (environment: Environment, gauge: NodeGauge, data: string | undefined) =>
  createDiscover({
    root: process.cwd(),
    load: createPluginHost({
      gauge,
      hidden: data === undefined ? [] : [data],
      allow: environment.ASSAY_PLUGINS_ALLOW,
      env: environment.forPlugins,
    }).load,
    configFile: configFileOf(environment),
    configRequired: environment.ASSAY_CONFIG !== undefined,
    pluginsDir: environment.ASSAY_PLUGINS_DIR,
  });

/** The sentence encoder, for servers where its package is installed; other processes end before it would be of use. */
const createEncoder = ({ ASSAY_ENCODER: setting }: Environment, log: Log) => {
  const files = setting === 'off' ? undefined : findEncoderFiles(setting);
  return files && sentenceEncoder(files, log, ENCODER_AFTER_MS);
};
/** The first decision, which has its own tables to load and code to compile, does not wait beside the model's. */
const ENCODER_AFTER_MS = 1000;

/** A language model with OpenAI's API, such as Ollama's; without one the rules decide. */
const createLlm = ({ ASSAY_LLM_URL: url, ASSAY_LLM_KEY: key, ASSAY_LLM_MODEL: model }: Environment) =>
  url === undefined ? undefined : openAiCompatibleLlm({ url, key, model });
