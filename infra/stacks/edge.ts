import { CfnOutput, Fn, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib';
import { MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { type IBucket, ObjectOwnership } from 'aws-cdk-lib/aws-s3';
import { Duration } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import type { StageSettings } from '../config.ts';
import { acknowledge } from '../constructs/acknowledge.ts';
import { Alarms, FIVE_MINUTES } from '../constructs/alarms.ts';
import { EdgeFunction } from '../constructs/edge-function.ts';
import { FrontDoor } from '../constructs/front-door.ts';
import { privateBucket } from '../constructs/private-bucket.ts';
import { WebFirewall } from '../constructs/web-firewall.ts';
import type { ApiStack } from './api.ts';
import type { DataStack } from './data.ts';

interface Props extends StackProps {
  readonly settings: StageSettings;
  readonly data: DataStack;
  readonly api: ApiStack;
}

/** The parts of CloudFront, all in us-east-1: the edge function, the firewall, the distribution and its files. */
export class EdgeStack extends Stack {
  readonly door: FrontDoor;
  readonly site: IBucket;
  readonly logs: IBucket;
  readonly firewall: WebFirewall;
  /** CloudFront's metrics are in us-east-1, and an alarm must be in the Region of its metric. */
  readonly alarms: Alarms;

  constructor(scope: Construct, id: string, props: Props) {
    super(scope, id, props);
    const { settings, data, api } = props;
    this.logs = accessLogs(this);
    const { logs } = this;
    this.firewall = new WebFirewall(this, 'Firewall', settings);
    this.site = privateBucket(this, 'Site', { undoDays: 7, logs: { bucket: logs, prefix: 'site/' } });
    // The console's files can be built again, so the bucket is deleted with the stack.
    this.site.applyRemovalPolicy(RemovalPolicy.RETAIN);
    // CloudFormation names the bucket so; a reference would be one more tie between two Regions.
    const published = `arn:aws:s3:::${data.stackName}-snapshots-*/edge/*`;
    const edge = new EdgeFunction(this, 'Edge', {
      entry: 'functions/edge/index.ts',
      description: 'Answers lookups and conversions from memory',
      settings,
      reads: [published],
    });
    acknowledge(edge, { [`AwsSolutions-IAM5[Resource::${published}]`]: 'all that is published, and nothing else' });
    this.door = new FrontDoor(this, 'FrontDoor', {
      settings,
      url: api.url,
      originSecret: originSecretHere(data, settings.region, this.region),
      edge: edge.function.currentVersion,
      published: { bucket: data.snapshots.bucketName, region: settings.region },
      site: this.site,
      pictures: { bucket: data.images.bucketName, region: settings.region },
      logs,
      firewallArn: this.firewall.arn,
    });
    this.alarms = new Alarms(this, 'Alarms', settings.alarmEmail);
    watchViewers(this.alarms, this.door.distribution.distributionId);
    const address = `https://${settings.domain?.name ?? this.door.distribution.distributionDomainName}`;
    new CfnOutput(this, 'Url', { description: 'The public address', value: address });
    new CfnOutput(this, 'FirstKey', {
      description: 'Makes the first key, with the admin key that the data stack tells how to print',
      value: `npx assay keys create --url ${address} --key <admin key> --name first --scopes read,invoke,write`,
    });
  }
}

const watchViewers = (alarms: Alarms, DistributionId: string): void => {
  const metric = (metricName: string, statistic: string) =>
    new Metric({
      namespace: 'AWS/CloudFront',
      metricName,
      statistic,
      dimensionsMap: { DistributionId, Region: 'Global' },
      ...FIVE_MINUTES,
    });
  alarms.watch('ViewersFailing', { metric: metric('5xxErrorRate', 'Average'), above: 1, periods: 2 });
  const errors = ['Execution', 'Validation', 'LimitExceeded'].map((kind) => metric(`Lambda${kind}Error`, 'Sum'));
  alarms.watch('EdgeFailing', {
    metric: new MathExpression({
      expression: 'SUM(METRICS())',
      usingMetrics: Object.fromEntries(errors.map((each, at) => [`e${at}`, each])),
      ...FIVE_MINUTES,
    }),
    above: 5,
  });
};

/** CloudFormation reads a secret only in its own Region; in another, the replica of the same name. */
const originSecretHere = ({ originSecret }: DataStack, secretRegion: string, region: string): string => {
  const arn =
    region === secretRegion ? originSecret.secretArn : Fn.join(region, Fn.split(secretRegion, originSecret.secretArn));
  return Fn.join('', ['{{resolve:secretsmanager:', arn, ':SecretString}}']);
};

/** CloudFront writes its log under an access list, which only this bucket allows. */
const accessLogs = (scope: Construct): IBucket => {
  const bucket = privateBucket(scope, 'EdgeAccessLogs', {
    undoDays: 1,
    rules: [{ id: 'forget', expiration: Duration.days(90) }],
    extra: { objectOwnership: ObjectOwnership.BUCKET_OWNER_PREFERRED },
  });
  acknowledge(bucket, { 'AwsSolutions-S1': 'this is where the logs of access to the others go' });
  return bucket;
};
