import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import {
  BlockPublicAccess,
  Bucket,
  BucketEncryption,
  type BucketProps,
  type CfnBucket,
  type IBucket,
  type LifecycleRule,
} from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import { pinned } from './pinned.ts';

interface Props {
  /** How long replaced and deleted objects can still be had back. */
  readonly undoDays: number;
  readonly rules?: readonly LifecycleRule[];
  readonly logs?: { readonly bucket: IBucket; readonly prefix: string };
  /** Tells EventBridge of every object. */
  readonly events?: boolean;
  readonly extra?: Pick<BucketProps, 'cors' | 'objectOwnership'>;
}

/** A bucket as all of ours are: private, encrypted, over TLS only, versioned, and kept when the stack goes. */
export const privateBucket = (
  scope: Construct,
  id: string,
  { undoDays, rules = [], logs, ...more }: Props,
): IBucket => {
  const bucket = new Bucket(scope, id, {
    blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    encryption: BucketEncryption.S3_MANAGED,
    enforceSSL: true,
    minimumTLSVersion: 1.2,
    versioned: true,
    removalPolicy: RemovalPolicy.RETAIN,
    lifecycleRules: [
      {
        id: 'undo',
        noncurrentVersionExpiration: Duration.days(undoDays),
        expiredObjectDeleteMarker: true,
        abortIncompleteMultipartUploadAfter: Duration.days(7),
      },
      ...rules,
    ],
    serverAccessLogsBucket: logs?.bucket,
    serverAccessLogsPrefix: logs?.prefix,
    ...more.extra,
  });
  // The bucket's own property: the construct would bring a function to set it.
  if (more.events)
    (bucket.node.defaultChild as CfnBucket).addPropertyOverride(
      'NotificationConfiguration.EventBridgeConfiguration.EventBridgeEnabled',
      true,
    );
  return pinned(bucket, id);
};
