import { lazyAsync, lazyPort } from '../../kernel/lazily.ts';
import type { Blobs } from '../../kernel/ports.ts';
import type { SignPut } from '../../uploads/request-upload.ts';
import { sortKeys } from '../blob-key.ts';
import { environmentAccess } from './aws-calls.ts';
import { listObjects } from './list-objects.ts';

interface Options {
  readonly bucket: string;
  /** An object larger than this is refused before it is read. */
  readonly maxBytes?: number;
  readonly variables: Readonly<Record<string, string | undefined>>;
}

/** A bucket. Listing, which a start needs, works without the SDK; the first use of an object loads it. */
export const bucketBlobs = ({ bucket, maxBytes, variables }: Options): Blobs => {
  const blobs: Blobs = lazyPort(['get', 'put', 'remove', 'list'], async () => {
    const { openBucket } = await import('./s3-bucket.ts');
    return openBucket(bucket, maxBytes);
  });
  const access = environmentAccess(variables);
  if (access === undefined) return blobs;
  const list = listObjects({
    ...access,
    bucket,
    endpoint: variables.AWS_ENDPOINT_URL_S3 ?? variables.AWS_ENDPOINT_URL,
  });
  return { ...blobs, list: async (prefix) => sortKeys(await list(prefix)) };
};

/** Signs upload addresses of a bucket. */
export const bucketSignPut = (options: { readonly bucket: string; readonly now: () => number }): SignPut => {
  const sign = lazyAsync(async () => (await import('./s3-sign-put.ts')).s3SignPut(options));
  return async (path, about) => (await sign())(path, about);
};
