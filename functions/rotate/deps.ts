import { setTimeout } from 'node:timers/promises';
import {
  DescribeSecretCommand,
  GetRandomPasswordCommand,
  GetSecretValueCommand,
  PutSecretValueCommand,
  ResourceNotFoundException,
  SecretsManagerClient,
  UpdateSecretVersionStageCommand,
} from '@aws-sdk/client-secrets-manager';
import { AwsClient } from 'aws4fetch';
import * as z from 'zod';
import { clientSettings } from '../../shared/adapters/aws/client-settings.ts';
import { sendHeader } from './distribution.ts';
import type { RotateDeps } from './rotate.ts';

const Environment = z.object({
  ASSAY_DISTRIBUTION: z.string().min(1),
  ASSAY_API_URL: z.url(),
  AWS_ACCESS_KEY_ID: z.string(),
  AWS_SECRET_ACCESS_KEY: z.string(),
  AWS_SESSION_TOKEN: z.string().optional(),
  AWS_ENDPOINT_URL_CLOUDFRONT: z.url().optional(),
});

/** The dependencies of the rotation: Secrets Manager, CloudFront and the API. */
export const rotateDeps = (): RotateDeps => {
  const {
    ASSAY_DISTRIBUTION: id,
    ASSAY_API_URL,
    AWS_ENDPOINT_URL_CLOUDFRONT: endpoint,
  } = Environment.parse(process.env);
  return {
    secrets: secretVersions(new SecretsManagerClient(clientSettings('secrets'))),
    send: (text) => sendHeader({ fetch: signed, id, endpoint })(text),
    isAccepted: (text) => isAccepted(new URL('/healthz', ASSAY_API_URL), text),
  };
};

// Credentials rotate too, so they are read for each request. CloudFront requests are signed for us-east-1 in every
// region.
const signed = (url: string, init?: RequestInit): Promise<Response> => {
  const environment = Environment.parse(process.env);
  const client = new AwsClient({
    accessKeyId: environment.AWS_ACCESS_KEY_ID,
    secretAccessKey: environment.AWS_SECRET_ACCESS_KEY,
    sessionToken: environment.AWS_SESSION_TOKEN,
    service: 'cloudfront',
    region: 'us-east-1',
  });
  return client.fetch(url, init);
};

// An instance of the API reads new secrets at most every 30 seconds.
const TRIES = 7;
const PAUSE_MS = 10_000;

const isAccepted = async (url: URL, text: string): Promise<boolean> => {
  for (let attempt = 1; ; attempt++) {
    const { status } = await fetch(url, { headers: { 'x-assay-origin': text } });
    if (status === 200 || attempt === TRIES) return status === 200;
    await setTimeout(PAUSE_MS);
  }
};

const secretVersions = (client: SecretsManagerClient): RotateDeps['secrets'] => ({
  async pending(SecretId, VersionId) {
    try {
      const request = new GetSecretValueCommand({ SecretId, VersionId, VersionStage: 'AWSPENDING' });
      return (await client.send(request)).SecretString;
    } catch (thrown) {
      if (thrown instanceof ResourceNotFoundException) return undefined;
      throw thrown;
    }
  },
  async putPending(SecretId, ClientRequestToken, SecretString) {
    const VersionStages = ['AWSPENDING'];
    await client.send(new PutSecretValueCommand({ SecretId, ClientRequestToken, SecretString, VersionStages }));
  },
  async promote(SecretId, version) {
    const { VersionIdsToStages = {} } = await client.send(new DescribeSecretCommand({ SecretId }));
    const [current] = Object.entries(VersionIdsToStages).find(([, stages]) => stages.includes('AWSCURRENT')) ?? [];
    if (current === version) return;
    await client.send(
      new UpdateSecretVersionStageCommand({
        SecretId,
        VersionStage: 'AWSCURRENT',
        MoveToVersionId: version,
        RemoveFromVersionId: current,
      }),
    );
  },
  async newText() {
    const request = new GetRandomPasswordCommand({ PasswordLength: 48, ExcludePunctuation: true });
    const { RandomPassword = '' } = await client.send(request);
    return RandomPassword;
  },
});
