import { S3Client } from '@aws-sdk/client-s3';
import type { Blobs } from '../../kernel/ports.ts';
import { clientSettings } from './client-settings.ts';
import { s3Blobs } from './s3-blobs.ts';

/** A bucket by the SDK, which finds region and credentials. */
export const openBucket = (bucket: string, maxBytes?: number): Blobs =>
  s3Blobs({ client: new S3Client(clientSettings('objects')), bucket, maxBytes });
