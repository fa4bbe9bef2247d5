import { CfnOutput, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib';
import { AttributeType, Billing, type ITableV2, StreamViewType, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { EventBus } from 'aws-cdk-lib/aws-events';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Key } from 'aws-cdk-lib/aws-kms';
import { HttpMethods, type IBucket, type LifecycleRule, ObjectOwnership } from 'aws-cdk-lib/aws-s3';
import { type ISecret, Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Duration } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import type { StageSettings } from '../config.ts';
import { acknowledge } from '../constructs/acknowledge.ts';
import { pinned } from '../constructs/pinned.ts';
import { privateBucket } from '../constructs/private-bucket.ts';
import { secretsKey } from '../constructs/secrets-key.ts';

interface Props extends StackProps {
  readonly settings: Pick<StageSettings, 'restoredTable' | 'keptDays'>;
  readonly secretRegions: readonly string[];
}

/** Everything that stores data. It is retained when the stack is deleted. */
export class DataStack extends Stack {
  readonly table: ITableV2;
  readonly images: IBucket;
  readonly models: IBucket;
  readonly snapshots: IBucket;
  /** The bus for changes and finished scores; rules deliver its events. */
  readonly events: EventBus;
  /** The secret that proves to the api that a request came through CloudFront. */
  readonly originSecret: ISecret;
  /** The secret from which the key that signs scores is derived. */
  readonly hallmarkSecret: ISecret;
  /** Wraps the keys of the credentials of sources. */
  readonly secretsKey: Key;
  /** The first admin key. */
  readonly adminSecret: ISecret;

  constructor(scope: Construct, id: string, props: Props) {
    super(scope, id, props);
    const { settings } = props;
    const made = table(this);
    this.table = settings.restoredTable ? restored(this, settings.restoredTable) : made;
    const bucket = accessLogs(this);
    this.images = privateBucket(this, 'Images', {
      undoDays: 30,
      rules: retention(settings.keptDays),
      events: true,
      logs: { bucket, prefix: 'images/' },
      // The page uploads to an address that was signed for one object, size and type.
      extra: { cors: [{ allowedMethods: [HttpMethods.PUT], allowedOrigins: ['*'], allowedHeaders: ['*'] }] },
    });
    this.models = privateBucket(this, 'Models', { undoDays: 90, logs: { bucket, prefix: 'models/' } });
    this.snapshots = privateBucket(this, 'Snapshots', { undoDays: 7, logs: { bucket, prefix: 'snapshots/' } });
    this.events = new EventBus(this, 'Events');
    this.secretsKey = secretsKey(this);
    this.originSecret = secret(this, 'OriginSecret', 'Proves to the api that a request came through CloudFront', [
      ...props.secretRegions,
    ]);
    acknowledge(this.originSecret, {
      'AwsSolutions-SMG4': 'rotated by the operations stack, which knows the distribution',
    });
    this.adminSecret = secret(this, 'AdminSecret', 'The first admin key of Assay', []);
    this.hallmarkSecret = secret(this, 'HallmarkSecret', 'From it follows the key that signs scores', []);
    acknowledge(this.hallmarkSecret, {
      'AwsSolutions-SMG4': 'with another key, scores signed before could not be verified',
    });
    acknowledge(this.adminSecret, {
      'AwsSolutions-SMG4': 'a key in the hands of a person: replaced by hand, as keys made with it replace it in use',
    });
    new CfnOutput(this, 'AdminKey', {
      description: 'Prints the first admin key',
      value: `aws secretsmanager get-secret-value --region ${this.region} --query SecretString --output text --secret-id ${this.adminSecret.secretArn}`,
    });
  }
}

/** Allows publishing events to this bus only. */
export const putEvents = ({ events }: DataStack): PolicyStatement =>
  new PolicyStatement({ actions: ['events:PutEvents'], resources: [events.eventBusArn] });

const table = (scope: Construct): TableV2 =>
  pinned(
    new TableV2(scope, 'Table', {
      partitionKey: { name: 'pk', type: AttributeType.STRING },
      sortKey: { name: 'sk', type: AttributeType.STRING },
      billing: Billing.onDemand(),
      dynamoStream: StreamViewType.NEW_AND_OLD_IMAGES,
      timeToLiveAttribute: 'expires',
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: true,
      removalPolicy: RemovalPolicy.RETAIN,
    }),
    'Table',
  );

/** The restored table; the original table is kept for inspection. */
const restored = (scope: Construct, { name, streamArn }: NonNullable<StageSettings['restoredTable']>): ITableV2 =>
  TableV2.fromTableAttributes(scope, 'Restored', { tableName: name, tableStreamArn: streamArn });

/** The prefixes of blobs by kind, as in shared/kernel/item-keys.ts. */
const PICTURES = ['images/', 'made/'] as const;
const RESULTS = ['scores/', 'runs/', 'jobs/'] as const;

const retention = ({ pictures, results }: NonNullable<StageSettings['keptDays']> = {}): readonly LifecycleRule[] => {
  const after = (days: number | undefined, prefixes: readonly string[]): readonly LifecycleRule[] =>
    days === undefined
      ? []
      : prefixes.map((prefix) => ({ id: `forget-${prefix.slice(0, -1)}`, prefix, expiration: Duration.days(days) }));
  return [...after(pictures, PICTURES), ...after(results, RESULTS)];
};

const accessLogs = (scope: Construct): IBucket => {
  const bucket = privateBucket(scope, 'AccessLogs', {
    undoDays: 1,
    rules: [{ id: 'forget', expiration: Duration.days(90) }],
    extra: { objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED },
  });
  acknowledge(bucket, { 'AwsSolutions-S1': 'this is where the logs of access to the others go' });
  return bucket;
};

const secret = (scope: Construct, id: string, description: string, regions: readonly string[]): ISecret =>
  pinned(
    new Secret(scope, id, {
      description,
      generateSecretString: { passwordLength: 48, excludePunctuation: true },
      removalPolicy: RemovalPolicy.RETAIN,
      replicaRegions: regions.map((region) => ({ region })),
    }),
    id,
  );
