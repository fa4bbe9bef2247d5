import { RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { BucketDeployment, CacheControl } from 'aws-cdk-lib/aws-s3-deployment';
import { Duration } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import type { StageSettings } from '../config.ts';
import { acknowledge, importedName } from '../constructs/acknowledge.ts';
import { builtSource } from '../constructs/function-code.ts';
import type { EdgeStack } from './edge.ts';

interface Props extends StackProps {
  readonly settings: StageSettings;
  readonly edge: EdgeStack;
}

/** Deploys the console's files to the bucket behind CloudFront. */
export class ConsoleStack extends Stack {
  constructor(scope: Construct, id: string, props: Props) {
    super(scope, id, props);
    const { edge } = props;
    new BucketDeployment(this, 'Files', {
      sources: [builtSource('functions/console/build.ts')],
      destinationBucket: edge.site,
      distribution: edge.door.distribution,
      distributionPaths: ['/*'],
      cacheControl: [CacheControl.maxAge(Duration.minutes(10)), CacheControl.setPublic()],
      memoryLimit: 512,
      logGroup: new LogGroup(this, 'Logs', { retention: props.settings.logDays, removalPolicy: RemovalPolicy.DESTROY }),
    });
    const reason = 'the library’s own function, which copies the files when the stack is deployed and never else';
    for (const finding of [...FINDINGS, `AwsSolutions-IAM5[Resource::${siteObjects(edge)}]`])
      acknowledge(this, { [finding]: reason });
  }
}

const FINDINGS = [
  ...['GetBucket', 'GetObject', 'List', 'Abort', 'DeleteObject'].map(
    (action) => `AwsSolutions-IAM5[Action::s3:${action}*]`,
  ),
  'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole]',
  'AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:s3:::cdk-hnb659fds-assets-<AWS::AccountId>-us-east-1/*]',
  'AwsSolutions-IAM5[Resource::*]',
  'AwsSolutions-L1',
  'Serverless-LambdaDLQ',
  'Serverless-LambdaLatestVersion',
  'Serverless-LambdaTracing',
];

const siteObjects = (edge: EdgeStack): string => `${importedName(edge.site.bucketArn, edge)}/*`;
