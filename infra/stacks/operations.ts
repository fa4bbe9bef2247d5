import { Aws, Duration, Stack, type StackProps } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { Rule } from 'aws-cdk-lib/aws-events';
import { SnsTopic } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { CfnPermission } from 'aws-cdk-lib/aws-lambda';
import { CfnRotationSchedule } from 'aws-cdk-lib/aws-secretsmanager';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { CfnSamplingRule } from 'aws-cdk-lib/aws-xray';
import type { Construct } from 'constructs';
import type { StageSettings } from '../config.ts';
import { acknowledge } from '../constructs/acknowledge.ts';
import { Alarms, FIVE_MINUTES } from '../constructs/alarms.ts';
import { failureQueue, type GrantedFunction } from '../constructs/granted-function.ts';
import { NodeFunction } from '../constructs/node-function.ts';
import type { ApiStack } from './api.ts';
import type { DataStack } from './data.ts';
import type { EdgeStack } from './edge.ts';
import type { InferenceStack } from './inference.ts';
import { type Functions, overview } from './overview.ts';
import type { PlansStack } from './plans.ts';
import { watchService } from './watch-service.ts';

interface Props extends StackProps {
  readonly settings: StageSettings;
  readonly data: DataStack;
  readonly api: ApiStack;
  readonly edge: EdgeStack;
  readonly inference: InferenceStack;
  readonly plans: PlansStack;
}

/** Operations: dashboard, alarms, and the rotation of the secret between CloudFront and the api. */
export class OperationsStack extends Stack {
  constructor(scope: Construct, id: string, props: Props) {
    super(scope, id, props);
    const { settings, plans, inference } = props;
    const functions = functionsOf(props);
    const alarms = new Alarms(this, 'Alarms', settings.alarmEmail);
    watchService(alarms, props);
    const rotate = this.rotation(props);
    alarms.watch('RotationFailed', { metric: rotate.function.metricErrors(FIVE_MINUTES), above: 0 });
    for (const [name, each] of Object.entries(functions)) alarms.watchThrottles(name, each);
    const queues = { ...failuresOf({ ...functions, Rotate: rotate, Failed: inference.failed }), ...plans.undelivered };
    for (const [name, queue] of Object.entries({ ...queues, Uploaded: inference.undelivered }))
      alarms.watchFailures(name, queue);
    const jobs = [inference.gpu, inference.cpu].flatMap((batch) => batch?.queue.jobQueueArn ?? []);
    if (jobs.length > 0) this.watchJobs(alarms, jobs, failureQueue(this, 'JobsBlockedFailures'));
    this.sampling(settings.tracedShare);
    overview(this, { ...props, functions, alarms: [...alarms.all, ...props.edge.alarms.all] });
  }

  /** Holds for the functions of this stage alone. */
  private sampling(fixedRate: number): void {
    new CfnSamplingRule(this, 'Sampling', {
      samplingRule: {
        ruleName: `${this.stackName}`.slice(0, 32),
        priority: 100,
        fixedRate,
        reservoirSize: 1,
        serviceName: `assay-${this.stackName.split('-')[1]}-*`,
        serviceType: '*',
        host: '*',
        httpMethod: '*',
        urlPath: '*',
        resourceArn: '*',
        version: 1,
      },
    });
  }

  /** Batch reports a blocked queue only by an event, so the alarm is on the metric of the event's rule. */
  private watchJobs(alarms: Alarms, jobQueue: string[], unheard: Queue): void {
    alarms.watchFailures('JobsBlocked', unheard);
    const blocked = new Rule(this, 'JobsBlocked', {
      description: 'A queue of jobs is blocked',
      eventPattern: {
        source: ['aws.batch'],
        detailType: ['Batch Job Queue Blocked'],
        detail: { jobQueue },
      },
      targets: [new SnsTopic(alarms.topic, { retryAttempts: 2, deadLetterQueue: unheard })],
    });
    const metric = new Metric({
      namespace: 'AWS/Events',
      metricName: 'TriggeredRules',
      dimensionsMap: { RuleName: blocked.ruleName },
      statistic: 'Sum',
      ...FIVE_MINUTES,
    });
    alarms.watch('JobsWaiting', { metric, above: 0 });
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
  Publish: api.publish,
  Step: plans.step,
  Upload: inference.upload,
  Inference: inference.inference,
});

const failuresOf = (functions: Readonly<Record<string, GrantedFunction>>): Readonly<Record<string, Queue>> =>
  Object.fromEntries(Object.entries(functions).map(([name, { failures }]) => [name, failures]));

const rotateSecret = ({ originSecret }: DataStack): PolicyStatement =>
  new PolicyStatement({
    actions: ['DescribeSecret', 'GetSecretValue', 'PutSecretValue', 'UpdateSecretVersionStage'].map(
      (action) => `secretsmanager:${action}`,
    ),
    resources: [originSecret.secretArn],
  });

/** Changing a distribution needs permission for everything it refers to. */
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
