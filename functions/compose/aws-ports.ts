import { randomBytes } from 'node:crypto';
import { accessOf, awsCalls } from '../../shared/adapters/aws/aws-calls.ts';
import { awsIqa } from '../../shared/adapters/aws/aws-iqa.ts';
import { bucketBlobs, bucketSignPut } from '../../shared/adapters/aws/bucket.ts';
import { callMetrics } from '../../shared/adapters/aws/call-metrics.ts';
import { cloudwatchMetrics } from '../../shared/adapters/aws/cloudwatch-metrics.ts';
import { dynamoTable } from '../../shared/adapters/aws/dynamo-table.ts';
import { hallmarkKey } from '../../shared/adapters/aws/hallmark-key.ts';
import { kmsDataKeys } from '../../shared/adapters/aws/kms-keys.ts';
import { lambdaTracing } from '../../shared/adapters/aws/lambda-tracing.ts';
import type { LambdaAccess } from '../../shared/adapters/aws/lambda-upstream.ts';
import { lineLog } from '../../shared/adapters/aws/line-log.ts';
import { routedBlobs } from '../../shared/adapters/aws/routed-blobs.ts';
import { readAllowList } from '../../shared/adapters/egress/allow-list.ts';
import { laterFetch } from '../../shared/adapters/egress/later-fetch.ts';
import { nodeGauge } from '../../shared/adapters/node/gauge.ts';
import { systemClock } from '../../shared/adapters/system-clock.ts';
import { systemTimers } from '../../shared/adapters/system-timers.ts';
import type { AssayPorts } from '../../shared/assay.ts';
import { isObject } from '../../shared/kernel/json.ts';
import { lazily } from '../../shared/kernel/lazily.ts';
import { MAX_PICTURE_BYTES } from '../../shared/kernel/limits.ts';
import type { Table } from '../../shared/kernel/ports.ts';
import { tracedBlobs, tracedTable } from '../../shared/kernel/traced-ports.ts';
import { definitionLimit } from '../../shared/registry/definition-bytes.ts';
import { type Configured, readConfigured } from '../../shared/sources/configured.ts';
import type { SourcePorts } from '../../shared/sources/context.ts';
import { findDocument } from '../../shared/sources/documents.ts';
import { createSourceSecrets, type SourceSecrets } from '../../shared/sources/secrets.ts';
import { refusedPicture } from '../../shared/uploads/refused-picture.ts';
import { storageLimit, storeBytes } from '../../shared/uploads/storage.ts';
import { builtinTools } from './builtin-tools.ts';
import { bundledConfig, bundledTools } from './bundled-tools.ts';
import { shippedHandlers, shippedPrices, shippedTools } from './shipped-tools.ts';
import { sourcePorts } from './source-ports.ts';

interface Places {
  readonly ASSAY_TABLE: string;
  readonly ASSAY_IMAGES_BUCKET: string;
  readonly ASSAY_MODELS_BUCKET: string;
  readonly ASSAY_STORAGE_MB?: number | undefined;
  readonly ASSAY_TOOLS_MB?: number | undefined;
  /** Who may add sources, and which other hosts they may reach. */
  readonly ASSAY_SOURCES?: SourcePorts['allowed'] | undefined;
  readonly ASSAY_EGRESS?: string | undefined;
  /** The KMS key for stored credentials; without it, sources cannot have any. */
  readonly ASSAY_SECRETS_KEY?: string | undefined;
}

/** Variables that Lambda itself sets, and updates while a function lives. */
export type LambdaVariables = Readonly<Record<string, string | undefined>>;

export type AwsPorts = AssayPorts & Required<Pick<AssayPorts, 'blobs' | 'iqa'>>;

/** The ports of every function that runs tools; the SDK finds region and credentials by itself. */
export const awsPorts = async (
  environment: Places,
  hallmark: string,
  variables: LambdaVariables,
): Promise<AwsPorts> => {
  const dynamo = dynamoTable({
    call: awsCalls('table', variables),
    tableName: environment.ASSAY_TABLE,
  });
  const table = tracedTable(dynamo);
  const stored = routedBlobs(
    bucketBlobs({ bucket: environment.ASSAY_IMAGES_BUCKET, maxBytes: MAX_PICTURE_BYTES, variables }),
    {
      'models/': bucketBlobs({ bucket: environment.ASSAY_MODELS_BUCKET, variables }),
    },
  );
  const blobs = tracedBlobs(stored);
  const clock = systemClock();
  const log = lineLog((text) => void process.stdout.write(text));
  const gauge = nodeGauge();
  const storageBytes = storageLimit(environment.ASSAY_STORAGE_MB);
  const admitBytes = (tenant: string, bytes: number) => storeBytes({ table, clock, storageBytes }, tenant, bytes);
  const refusalOf = refusedPicture(table);
  const iqa = awsIqa({ table, blobs, clock, log, admitBytes, refusalOf, signingKey: hallmarkKey(hallmark) });
  // A function's files are lost with its instance, so there are no file tools.
  const shipped = { iqa, builtin: builtinTools({ gauge, readImage: iqa.readImage }) };
  const names = new Set<string>();
  const metrics = lazily(() => cloudwatchMetrics());
  return {
    table,
    blobs,
    clock,
    timers: systemTimers,
    log,
    gauge,
    iqa,
    random: (bytes) => randomBytes(bytes),
    async discover() {
      const ours = await shippedTools(shipped);
      for (const tool of [...(ours.families ?? []), ...ours.definitions])
        names.add((tool as { readonly name: string }).name);
      return [ours, ...(await bundledTools())];
    },
    handlers: shippedHandlers(shipped),
    prices: shippedPrices(),
    storageBytes,
    definitionBytes: definitionLimit(environment.ASSAY_TOOLS_MB),
    sources: sourcePorts({
      allowed: environment.ASSAY_SOURCES ?? 'tenants',
      configured: bundledSources(),
      fetch: laterFetch({ allowed: readAllowList(environment.ASSAY_EGRESS ?? '') }),
      documentOf: (tenant, source) => findDocument(table, tenant, source),
      table,
      secrets: sourceSecrets(table, environment, variables),
      now: clock.now,
      lambda: lambdaAccess(variables),
      follows: false,
    }),
    signPut: bucketSignPut({ bucket: environment.ASSAY_IMAGES_BUCKET, now: clock.now }),
    freshMs: 1000,
    tracer: await lambdaTracing({ table: dynamo, clock, log }, variables),
    recording: { delayMs: 0, observe: callMetrics({ metrics, log, isShipped: (tool) => names.has(tool) }) },
  };
};

/** The sources of the bundled configuration. A function starts no commands, so those are reported as problems. */
export const bundledSources = (): Configured => {
  const config = bundledConfig();
  // Most deployments configure no sources, and then their schemas need not be created.
  if (!isObject(config) || Object.values(config).every((part) => part === undefined))
    return { sources: [], functions: [], problems: [] };
  const { sources, functions, problems } = readConfigured(config);
  const commands = sources.filter(({ command }) => command !== undefined);
  return {
    functions,
    sources: sources.filter(({ command }) => command === undefined),
    problems: [
      ...problems,
      ...commands.map(({ source }) => ({ name: source.name, reason: 'commands cannot be started here; give its url' })),
    ],
  };
};

const sourceSecrets = (
  table: Table,
  { ASSAY_SECRETS_KEY: keyId }: Places,
  variables: LambdaVariables,
): SourceSecrets | undefined =>
  keyId === undefined ? undefined : createSourceSecrets(table, kmsDataKeys(awsCalls('keys', variables), keyId));

const lambdaAccess = (variables: LambdaVariables): LambdaAccess => ({
  ...accessOf(variables),
  endpoint: variables.AWS_ENDPOINT_URL_LAMBDA,
});
