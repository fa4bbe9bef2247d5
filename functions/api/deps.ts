import { setTimeout as pause } from 'node:timers/promises';
import { storedAdminKey } from '../../shared/access/admin-key.ts';
import { awsCalls } from '../../shared/adapters/aws/aws-calls.ts';
import { bucketBlobs } from '../../shared/adapters/aws/bucket.ts';
import type { JsonCall } from '../../shared/adapters/aws/json-service.ts';
import { sfnMachines } from '../../shared/adapters/aws/machine.ts';
import { readSecret } from '../../shared/adapters/aws/secrets.ts';
import { laterFetch } from '../../shared/adapters/egress/later-fetch.ts';
import { openAiCompatibleLlm } from '../../shared/adapters/llm/openai-compatible.ts';
import { systemClock } from '../../shared/adapters/system-clock.ts';
import { type Assay, composeAssay } from '../../shared/assay.ts';
import type { Llm } from '../../shared/decide/llm.ts';
import { Fault, messageOf } from '../../shared/kernel/errors.ts';
import { apiKeyKey } from '../../shared/kernel/item-keys.ts';
import { lazyAsync } from '../../shared/kernel/lazily.ts';
import type { Blobs, Log } from '../../shared/kernel/ports.ts';
import { createMachineRuns } from '../../shared/plan/machine-runs.ts';
import type { Runs } from '../../shared/plan/runs.ts';
import { storeBeat } from '../../shared/registry/edge-beat.ts';
import { publishChanges, publishLayer } from '../../shared/registry/publish.ts';
import { type AwsPorts, awsPorts, type LambdaVariables } from '../compose/aws-ports.ts';
import { issuersOauth } from '../compose/issuers-oauth.ts';
import { type AwsEnvironment, readAwsEnvironment } from './environment.ts';
import { createOriginGuard, type OriginGuard, type ReadSecrets } from './origin-guard.ts';

export interface ApiDeps {
  readonly assay: Assay;
  readonly guard: OriginGuard;
  /** Renews the time up to which everything is published to the edge. */
  readonly beat: () => Promise<void>;
  /** Hosts of other web pages that may call MCP. */
  readonly origins: readonly string[];
}

/** The dependencies of the API on AWS: DynamoDB, S3 and Secrets Manager, as configured by the environment. */
export const apiDeps = async (variables = process.env): Promise<ApiDeps> => {
  const environment = readAwsEnvironment(variables);
  const secrets = awsCalls('secrets', variables);
  const now = systemClock().now;
  const [guard, hallmark, llm] = await Promise.all([
    createOriginGuard({ read: originSecrets(secrets, environment.ASSAY_ORIGIN_SECRET), now }),
    readSecretText(secrets, environment.ASSAY_HALLMARK_SECRET),
    createLlm(secrets, environment),
  ]);
  const ports = await awsPorts(environment, hallmark, variables);
  const { ASSAY_ISSUERS: issuers, ASSAY_SNAPSHOTS_BUCKET: bucket } = environment;
  const published = bucketBlobs({ bucket, variables });
  // The operator configured the issuers, but they are reached like any public address.
  const fetch = laterFetch({ allowed: [] });
  const assay = await composeAssay({
    ...ports,
    llm,
    learns: environment.ASSAY_LEARN === 'on',
    adminKey: storedAdminKey({ read: () => adminKeyOf(secrets, environment.ASSAY_ADMIN_SECRET, ports.log), now }),
    oauth: issuersOauth({ issuers, fetch, clock: ports.clock }),
    startRuns: () => stateMachineRuns(ports, environment, variables),
    publishKey: keyPublisher(ports, published),
  });
  const publishTools = lazyAsync(() => publishOwnTools(assay, published));
  return {
    assay,
    guard,
    // The edge asks for beats, so the deployment's tools are published then, and not at every start.
    beat: async () => void (await Promise.all([beat(ports), publishTools().catch(() => undefined)])),
    origins: environment.ASSAY_ORIGINS,
  };
};

/** The language model that decisions may ask, if the deployment configures one. */
const createLlm = async (secrets: JsonCall, environment: AwsEnvironment): Promise<Llm | undefined> => {
  const { ASSAY_LLM_URL: url, ASSAY_LLM_MODEL: model, ASSAY_LLM_SECRET: secret } = environment;
  if (url === undefined) return undefined;
  const key = secret === undefined ? undefined : await readSecretText(secrets, secret);
  return openAiCompatibleLlm({ url, model, key });
};

/** Publishes this deployment's tools to the edge; until then the origin answers. */
const publishOwnTools = async ({ catalogs, log }: Assay, blobs: Blobs): Promise<void> => {
  try {
    const { catalog } = await catalogs.of('default');
    await publishLayer({ blobs }, catalog.layer);
  } catch (thrown) {
    log.error('shipped tools not published', { error: messageOf(thrown) });
    throw thrown;
  }
};

/** An error is only logged: without a beat, the edge passes lookups on to this function. */
const beat = async ({ table, clock, log }: AwsPorts): Promise<void> => {
  try {
    await storeBeat({ table, clock });
  } catch (thrown) {
    log.error('beat of the edge not stored', { error: messageOf(thrown) });
  }
};

/** Publishes a revoked key at once; otherwise the stream does so later. */
const keyPublisher =
  ({ table, log }: AwsPorts, blobs: Blobs) =>
  async (id: string): Promise<void> => {
    try {
      await publishChanges({ table, blobs }, [apiKeyKey(id)]);
    } catch (thrown) {
      log.error('key not published at once; the stream will', { key: id, error: messageOf(thrown) });
    }
  };

/** Plans run on Step Functions; short ones finish before the answer. */
const stateMachineRuns = (
  { table, blobs, clock }: AwsPorts,
  environment: AwsEnvironment,
  variables: LambdaVariables,
): Runs => {
  const machines = sfnMachines({
    call: awsCalls('machines', variables),
    table,
    clock,
    pause,
    prefix: environment.ASSAY_MACHINE_PREFIX,
    roleArn: environment.ASSAY_MACHINE_ROLE,
    logGroupArn: environment.ASSAY_MACHINE_LOGS,
  });
  return createMachineRuns({ table, blobs, clock, machines, step: environment.ASSAY_STEP_FUNCTION });
};

const readSecretText = async (client: JsonCall, id: string): Promise<string> => {
  const text = await readSecret(client, id);
  if (text === undefined || text === '') throw new Fault('Unavailable', `the secret ${id} is empty`);
  return text;
};

/** An admin key that is gone or unreadable is only logged, for the operator. */
const adminKeyOf = async (client: JsonCall, id: string, log: Log): Promise<string | undefined> => {
  try {
    return await readSecret(client, id);
  } catch (thrown) {
    log.error('admin key not read', { error: messageOf(thrown) });
    throw new Fault('Unavailable', 'the admin key cannot be checked now; keys made with it work as before');
  }
};

const originSecrets =
  (client: JsonCall, id: string): ReadSecrets =>
  async (which) => {
    const stages = which === 'current' ? (['AWSCURRENT'] as const) : STAGES;
    const texts = await Promise.all(stages.map((stage) => readSecret(client, id, stage)));
    return texts.filter((text) => text !== undefined);
  };

const STAGES = ['AWSCURRENT', 'AWSPENDING', 'AWSPREVIOUS'] as const;
