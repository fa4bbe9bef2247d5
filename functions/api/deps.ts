import { randomBytes } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { dynamoTable } from '../../shared/adapters/aws/dynamo-table.ts';
import { lineLog } from '../../shared/adapters/aws/line-log.ts';
import { routedBlobs } from '../../shared/adapters/aws/routed-blobs.ts';
import { s3Blobs } from '../../shared/adapters/aws/s3-blobs.ts';
import { readSecret } from '../../shared/adapters/aws/secrets.ts';
import { systemClock } from '../../shared/adapters/system-clock.ts';
import { type Assay, type AssayPorts, composeAssay } from '../../shared/assay.ts';
import { digestOfKey } from '../../shared/billing/secret.ts';
import { Fault } from '../../shared/errors.ts';
import { shippedHandlers, shippedTools } from '../cli/shipped.ts';
import { bundledTools } from './bundled-tools.ts';
import { type AwsEnvironment, readAwsEnvironment } from './environment.ts';
import { createOriginGuard, type OriginGuard, type ReadSecrets } from './origin-guard.ts';

export interface ApiDeps {
  readonly assay: Assay;
  readonly guard: OriginGuard;
  /** Hosts of pages that may speak to MCP besides our own. */
  readonly origins: readonly string[];
}

/** The api on AWS: DynamoDB, S3 and Secrets Manager, as the environment says. */
export const apiDeps = async (variables = process.env): Promise<ApiDeps> => {
  const environment = readAwsEnvironment(variables);
  const secrets = new SecretsManagerClient({});
  const ports = awsPorts(environment);
  const [guard, adminKey] = await Promise.all([
    createOriginGuard({ read: originSecrets(secrets, environment.ASSAY_ORIGIN_SECRET), now: ports.clock.now }),
    readSecret(secrets, environment.ASSAY_ADMIN_SECRET),
  ]);
  if (adminKey === undefined) throw new Fault('Unavailable', `the secret ${environment.ASSAY_ADMIN_SECRET} is empty`);
  const assay = await composeAssay({ ...ports, adminDigest: digestOfKey(adminKey).toString('hex') });
  return { assay, guard, origins: environment.ASSAY_ORIGINS };
};

type Places = Pick<AwsEnvironment, 'ASSAY_TABLE' | 'ASSAY_IMAGES_BUCKET' | 'ASSAY_MODELS_BUCKET'>;

/** What every function that runs tools stands on; the SDK finds region and credentials by itself. */
export const awsPorts = (environment: Places): AssayPorts => {
  const s3 = new S3Client({});
  const blobsIn = (bucket: string) => s3Blobs({ client: s3, bucket });
  return {
    table: dynamoTable({ client: new DynamoDBClient({}), tableName: environment.ASSAY_TABLE }),
    blobs: routedBlobs(blobsIn(environment.ASSAY_IMAGES_BUCKET), {
      'models/': blobsIn(environment.ASSAY_MODELS_BUCKET),
    }),
    clock: systemClock(),
    log: lineLog((text) => void process.stdout.write(text)),
    random: (bytes) => randomBytes(bytes),
    discover: async () => [await shippedTools({}), ...(await bundledTools())],
    handlers: shippedHandlers({}),
    freshMs: 1000,
    recording: { delayMs: 0 },
  };
};

const originSecrets =
  (client: SecretsManagerClient, id: string): ReadSecrets =>
  async (which) => {
    const stages = which === 'current' ? (['AWSCURRENT'] as const) : STAGES;
    const texts = await Promise.all(stages.map((stage) => readSecret(client, id, stage)));
    return texts.filter((text) => text !== undefined);
  };

const STAGES = ['AWSCURRENT', 'AWSPENDING', 'AWSPREVIOUS'] as const;
