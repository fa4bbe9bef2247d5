import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { startFauxqs } from 'fauxqs';

export interface LocalS3 {
  readonly client: S3Client;
  readonly endpoint: string;
  readonly bucket: string;
  stop(): Promise<void>;
}

export const localCredentials = { accessKeyId: 'local', secretAccessKey: 'local' } as const;
export const localRegion = 'eu-central-1';

/** Starts an in-memory S3-compatible server with a bucket on a free loopback port. */
export async function startS3(bucket = 'assay-test'): Promise<LocalS3> {
  const server = await startFauxqs({ port: 0, host: '127.0.0.1', logger: false });
  const endpoint = `http://127.0.0.1:${server.port}`;
  const client = new S3Client({ endpoint, region: localRegion, credentials: localCredentials, forcePathStyle: true });
  await client.send(new CreateBucketCommand({ Bucket: bucket }));
  const stop = async (): Promise<void> => {
    client.destroy();
    await server.stop();
  };
  return { client, endpoint, bucket, stop };
}
