import { PutObjectCommand, S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { putHeaders, type SignPut } from '../../uploads/request-upload.ts';

interface Options {
  readonly bucket: string;
  readonly now: () => number;
  readonly config?: S3ClientConfig;
}

/** Signs addresses of a bucket. Type and, where known, size are signed headers: S3 refuses any others. */
export const s3SignPut = ({ bucket, now, config = {} }: Options): SignPut => {
  // By default the SDK signs a checksum of the body, which here is none: S3 would refuse every picture.
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

// Not named, they would stay outside the signature and anything could be put.
const SIGNED = new Set(['content-type', 'content-length']);
