import type { CloudFrontRequest } from 'hono/lambda-edge';

/** Where the published files are stored. */
export interface SnapshotOrigin {
  readonly bucket: string;
  readonly region: string;
  /** An S3 endpoint for tests. */
  readonly endpoint?: string;
}

/**
 * Reads the bucket from the origin's custom headers, because the edge has no environment variables. They belong to the
 * distribution, so viewers cannot set them.
 */
export const snapshotOrigin = (request: CloudFrontRequest): SnapshotOrigin | undefined => {
  const headers = request.origin?.custom?.customHeaders ?? {};
  const headerOf = (name: string): string | undefined => headers[name]?.[0]?.value;
  const bucket = headerOf('x-assay-bucket');
  const region = headerOf('x-assay-region');
  const endpoint = headerOf('x-assay-endpoint');
  if (bucket === undefined || region === undefined) return undefined;
  return { bucket, region, endpoint };
};

export const urlOf = ({ bucket, region, endpoint }: SnapshotOrigin, key: string): string => {
  const path = key.split('/').map(encodeURIComponent).join('/');
  return endpoint === undefined
    ? `https://${bucket}.s3.${region}.amazonaws.com/${path}`
    : `${endpoint}/${bucket}/${path}`;
};
