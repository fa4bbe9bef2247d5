import { awsFault } from './aws-failures.ts';

/** Converts a failure of S3 to a fault; returns anything else unchanged. */
export const s3Fault = (thrown: unknown, bucket: string): unknown => awsFault(thrown, `bucket ${bucket}`, { bucket });
