import { PutObjectCommand, S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { putHeaders, type SignPut } from '../../uploads/request-upload.ts';

interface Options {
  readonly bucket: string;
  readonly now: () => number;
  readonly config?: S3ClientConfig;
}

/** Signs upload addresses of a bucket. Type and, where known, size are signed, so S3 refuses any others. */
export const s3SignPut = ({ bucket, now, config = {} }: Options): SignPut => {
  // By default the SDK signs a checksum of the body, which is unknown here: S3 would refuse every picture.
  const client = new S3Client({ ...config, requestChecksumCalculation: 'WHEN_REQUIRED' });
  return async (path, { contentType, size, seconds }) => {
    const signingDate = new Date(now());
    const url = await getSignedUrl(
      client,
      new PutObjectCommand({ Bucket: bucket, Key: path, ContentType: contentType, ContentLength: size }),
      { expiresIn: seconds, signingDate, signableHeaders: SIGNED },
    );
    return {
      url,
      headers: putHeaders(contentType, size),
      expires_at: new Date(Math.floor(signingDate.getTime() / 1000 + seconds) * 1000).toISOString(),
    };
  };
};

// Unless named, these headers are not signed, and any type or size could be uploaded.
const SIGNED = new Set(['content-type', 'content-length']);
