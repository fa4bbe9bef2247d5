import { awsFault } from './aws-failures.ts';

/** A failure of S3 as a fault; anything else as it is. */
export const s3Fault = (thrown: unknown, bucket: string): unknown => awsFault(thrown, `bucket ${bucket}`, { bucket });
