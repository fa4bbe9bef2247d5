import { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  NoSuchKey,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { Fault } from '../../kernel/errors.ts';
import type { Blobs } from '../../kernel/ports.ts';
import { checkBlobKey, sortKeys } from '../blob-key.ts';
import { s3Fault } from './s3-failures.ts';

interface Options {
  readonly client: S3Client;
  readonly bucket: string;
  /** An object larger than this is refused before it is read. */
  readonly maxBytes?: number;
}

/** Blobs as the objects of a bucket. */
export const s3Blobs = ({ client, bucket, maxBytes = Number.POSITIVE_INFINITY }: Options): Blobs => ({
  async get(key) {
    checkBlobKey(key);
    try {
      const { Body, ContentLength = 0 } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: key }));
      if (ContentLength > maxBytes) {
        if (Body instanceof Readable) Body.destroy();
        throw new Fault('TooLarge', `${key} has ${ContentLength} bytes; the limit is ${maxBytes}`, { key });
      }
      return await Body?.transformToByteArray();
    } catch (thrown) {
      if (thrown instanceof NoSuchKey) return undefined;
      throw s3Fault(thrown, bucket);
    }
  },
  async put(key, bytes, contentType) {
    checkBlobKey(key);
    await client
      .send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: bytes, ContentType: contentType }))
      .catch((thrown: unknown) => Promise.reject(s3Fault(thrown, bucket)));
  },
  async remove(key) {
    checkBlobKey(key);
    await client
      .send(new DeleteObjectCommand({ Bucket: bucket, Key: key }))
      .catch((thrown: unknown) => Promise.reject(s3Fault(thrown, bucket)));
  },
  async list(prefix) {
    const keys: string[] = [];
    let next: string | undefined;
    try {
      do {
        const page = await client.send(
          new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, ContinuationToken: next }),
        );
        for (const { Key } of page.Contents ?? []) if (Key !== undefined) keys.push(Key);
        next = page.NextContinuationToken;
      } while (next !== undefined);
    } catch (thrown) {
      throw s3Fault(thrown, bucket);
    }
    // Directory buckets, and servers compatible with S3, list in another order.
    return sortKeys(keys);
  },
});
