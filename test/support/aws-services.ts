import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type LocalDynamo, startDynamo } from './dynamo.ts';
import { type LocalS3, localCredentials, startS3 } from './s3.ts';

/** The versions of a secret by label. */
export type Secret = Record<string, string>;

export interface LocalSecrets {
  readonly endpoint: string;
  readonly secrets: Map<string, Secret>;
  /** The number of secret reads. */
  reads: number;
  stop(): Promise<void>;
}

/** A read-only Secrets Manager that speaks its JSON 1.1 protocol. */
export const startSecrets = async (secrets: Map<string, Secret>): Promise<LocalSecrets> => {
  const local = { secrets, reads: 0 };
  const server = createServer(async (request: IncomingMessage, response) => {
    const { SecretId, VersionStage = 'AWSCURRENT' } = JSON.parse(await text(request));
    local.reads++;
    const SecretString = secrets.get(SecretId)?.[VersionStage];
    response.setHeader('content-type', 'application/x-amz-json-1.1');
    if (SecretString === undefined) {
      response.statusCode = 400;
      response.end(JSON.stringify({ __type: 'ResourceNotFoundException', message: `no ${VersionStage}` }));
    } else response.end(JSON.stringify({ ARN: SecretId, Name: SecretId, SecretString, VersionStages: [VersionStage] }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const stop = async (): Promise<void> => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return Object.assign(local, { endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop });
};

export interface LocalAws {
  readonly dynamo: LocalDynamo;
  readonly s3: LocalS3;
  readonly secrets: LocalSecrets;
  /** The environment that the stack would set, with the addresses of the local servers. */
  readonly environment: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

export const ORIGIN_SECRET = 'o'.repeat(48);
export const ADMIN_SECRET = 'a'.repeat(48);

/** Local servers for the AWS services that the functions need. */
export const startAws = async (): Promise<LocalAws> => {
  const known = new Map([
    ['origin', { AWSCURRENT: ORIGIN_SECRET }],
    ['admin', { AWSCURRENT: ADMIN_SECRET }],
    ['hallmark', { AWSCURRENT: 'h'.repeat(48) }],
  ]);
  const [dynamo, s3, secrets] = await Promise.all([startDynamo(), startS3('images'), startSecrets(known)]);
  const environment = {
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: localCredentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: localCredentials.secretAccessKey,
    AWS_ENDPOINT_URL_DYNAMODB: dynamo.endpoint,
    AWS_ENDPOINT_URL_S3: s3.endpoint,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: secrets.endpoint,
    ASSAY_TABLE: dynamo.tableName,
    ASSAY_IMAGES_BUCKET: 'images',
    ASSAY_MODELS_BUCKET: 'images',
    ASSAY_SNAPSHOTS_BUCKET: 'images',
    ASSAY_ORIGIN_SECRET: 'origin',
    ASSAY_ADMIN_SECRET: 'admin',
    ASSAY_HALLMARK_SECRET: 'hallmark',
    ASSAY_STEP_FUNCTION: 'assay-step',
    ASSAY_MACHINE_ROLE: 'arn:aws:iam::111122223333:role/machines',
    ASSAY_MACHINE_LOGS: 'arn:aws:logs:eu-central-1:111122223333:log-group:/aws/vendedlogs/states/assay:*',
  };
  return {
    dynamo,
    s3,
    secrets,
    environment,
    stop: async () => void (await Promise.all([dynamo.stop(), s3.stop(), secrets.stop()])),
  };
};
