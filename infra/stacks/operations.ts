import { Aws, Duration, Stack, type StackProps } from 'aws-cdk-lib';
import { MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { CfnPermission } from 'aws-cdk-lib/aws-lambda';
import { CfnRotationSchedule } from 'aws-cdk-lib/aws-secretsmanager';
import type { Construct } from 'constructs';
import type { StageSettings } from '../config.ts';
import { acknowledge } from '../constructs/acknowledge.ts';
import { Alarms, FIVE_MINUTES } from '../constructs/alarms.ts';
import type { GrantedFunction } from '../constructs/granted-function.ts';
import { NodeFunction } from '../constructs/node-function.ts';
import type { ApiStack } from './api.ts';
import type { DataStack } from './data.ts';
import type { EdgeStack } from './edge.ts';
import type { InferenceStack } from './inference.ts';
import { type Functions, overview } from './overview.ts';
import type { PlansStack } from './plans.ts';

interface Props extends StackProps {
  readonly settings: StageSettings;
  readonly data: DataStack;
  readonly api: ApiStack;
  readonly edge: EdgeStack;
  readonly inference: InferenceStack;
  readonly plans: PlansStack;
}

/** What keeps it running: dashboard, alarms, and the rotation of the secret between CloudFront and the api. */
export class OperationsStack extends Stack {
  constructor(scope: Construct, id: string, props: Props) {
    super(scope, id, props);
    const functions = functionsOf(props);
    const alarms = this.alarms(props, functions);
    overview(this, { ...props, functions, alarms: alarms.all });
    const rotate = this.rotation(props);
    alarms.watch('RotationFailed', {
      what: 'The secret between CloudFront and the api was not rotated; the one in use still holds',
      metric: rotate.function.metricErrors(FIVE_MINUTES),
      above: 0,
    });
  }

  private alarms({ settings, api }: Props, functions: Functions): Alarms {
    const alarms = new Alarms(this, 'Alarms', settings.alarmEmail);
    alarms.watch('ApiFailing', {
      what: 'More than 1 % of requests fail in the api',
      metric: errorShare(api.api),
      above: 1,
      periods: 2,
    });
    alarms.watch('ApiSlow', {
      what: 'One request in a hundred takes longer than 10 s',
      metric: api.api.function.metricDuration({ ...FIVE_MINUTES, statistic: 'p99' }),
      above: 10_000,
      periods: 3,
    });
    for (const [name, each] of Object.entries(functions)) {
      alarms.watch(`${name}Throttled`, {
        what: `${name} is throttled: raise its concurrency`,
        metric: each.function.metricThrottles(FIVE_MINUTES),
        above: 0,
        periods: 2,
      });
      alarms.watch(`${name}Lost`, {
        what: `${name} gave up on an event: look into its failure queue`,
        metric: each.failures.metricApproximateNumberOfMessagesVisible(FIVE_MINUTES),
        above: 0,
      });
    }
    alarms.watch('StreamLate', {
      what: 'Statistics, usage and the edge are more than five minutes behind the table',
      metric: api.stream.function.metric('IteratorAge', { ...FIVE_MINUTES, statistic: 'max' }),
      above: 300_000,
    });
    return alarms;
  }

  private rotation({ settings, data, api, edge }: Props): NodeFunction {
    const { distribution } = edge.door;
    const rotate = new NodeFunction(this, 'Rotate', {
      entry: 'functions/rotate/index.ts',
      description: 'Rotates the secret between CloudFront and the api',
      settings,
      memoryMb: 256,
      timeout: Duration.minutes(3),
    })
      .may('ASSAY_API_URL', api.url.url)
      .may('ASSAY_DISTRIBUTION', distribution.distributionId, ...changeDistribution(edge), rotateSecret(data));
    acknowledge(rotate, {
      'AwsSolutions-IAM5[Action::lambda:EnableReplication*]': 'the action is named so',
      [`AwsSolutions-IAM5[Resource::arn:aws:lambda:us-east-1:<AWS::AccountId>:function:${edge.stackName}-*]`]:
        'the versions of the one edge function',
    });
    const allowed = new CfnPermission(this, 'RotateBySecretsManager', {
      action: 'lambda:InvokeFunction',
      functionName: rotate.function.functionArn,
      principal: 'secretsmanager.amazonaws.com',
      sourceArn: data.originSecret.secretArn,
    });
    const schedule = new CfnRotationSchedule(this, 'Rotation', {
      secretId: data.originSecret.secretArn,
      rotationLambdaArn: rotate.function.functionArn,
      rotationRules: { scheduleExpression: 'rate(90 days)' },
      rotateImmediatelyOnUpdate: false,
    });
    schedule.addResourceDependency(allowed);
    return rotate;
  }
}

const functionsOf = ({ api, plans, inference }: Props): Functions => ({
  Api: api.api,
  Stream: api.stream,
  Step: plans.step,
  Upload: inference.upload,
  Inference: inference.inference,
});

const errorShare = (one: GrantedFunction): MathExpression =>
  new MathExpression({
    expression: '100 * errors / MAX([errors, calls, 1])',
    usingMetrics: { errors: one.function.metricErrors(), calls: one.function.metricInvocations() },
    ...FIVE_MINUTES,
  });

const rotateSecret = ({ originSecret }: DataStack): PolicyStatement =>
  new PolicyStatement({
    actions: ['DescribeSecret', 'GetSecretValue', 'PutSecretValue', 'UpdateSecretVersionStage'].map(
      (action) => `secretsmanager:${action}`,
    ),
    resources: [originSecret.secretArn],
  });

/** To change a distribution is to be allowed all that it refers to. */
const changeDistribution = (edge: EdgeStack): readonly PolicyStatement[] => {
  const { distribution } = edge.door;
  return [
    new PolicyStatement({
      actions: ['cloudfront:GetDistributionConfig', 'cloudfront:UpdateDistribution'],
      resources: [distribution.distributionArn],
    }),
    // The star is part of the action's name. Versions come and go, so they are meant by the stack that names them.
    new PolicyStatement({
      actions: ['lambda:GetFunction', 'lambda:EnableReplication*'],
      resources: [edgeFunctions(edge)],
    }),
    new PolicyStatement({ actions: ['wafv2:GetWebACL'], resources: [edge.firewall.arn] }),
    new PolicyStatement({ actions: ['s3:GetBucketAcl', 's3:PutBucketAcl'], resources: [edge.logs.bucketArn] }),
    new PolicyStatement({ actions: ['secretsmanager:GetRandomPassword'], resources: ['*'] }),
  ];
};

const edgeFunctions = ({ stackName }: EdgeStack): string =>
  `arn:aws:lambda:us-east-1:${Aws.ACCOUNT_ID}:function:${stackName}-*`;
