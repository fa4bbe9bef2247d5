import { Duration, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib';
import type { IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import { Match, Rule, RuleTargetInput, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { FilterPattern, LogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { StageSettings } from '../config.ts';
import { acknowledge, arnAsWritten } from '../constructs/acknowledge.ts';
import { FIVE_MINUTES } from '../constructs/alarms.ts';
import { failureQueue } from '../constructs/granted-function.ts';
import { machineAccess, machinePrefix } from '../constructs/machine-access.ts';
import { NodeFunction } from '../constructs/node-function.ts';
import { onnxLayer } from '../constructs/onnx-layer.ts';
import { runConfigured } from '../constructs/run-configured.ts';
import { sealsSecrets } from '../constructs/secrets-key.ts';
import { StaticMachine } from '../constructs/static-machine.ts';
import { type DataStack, putEvents } from './data.ts';
import type { InferenceStack } from './inference.ts';

interface Props extends StackProps {
  readonly settings: StageSettings;
  readonly data: DataStack;
  readonly inference: InferenceStack;
}

/** The infrastructure of plans: the function for steps and approvals, and the role and log group of state machines. */
export class PlansStack extends Stack {
  readonly step: NodeFunction;
  readonly role: Role;
  readonly logs: LogGroup;
  /** The number of failed runs of all machines. */
  readonly failedRuns: IMetric;
  /** The dead-letter queue of scheduled work and notifications. */
  readonly undelivered: Readonly<Record<'CleanUp' | 'Ended' | 'Sources', Queue>>;

  constructor(scope: Construct, id: string, props: Props) {
    super(scope, id, props);
    const { settings, data } = props;
    this.logs = new LogGroup(this, 'Logs', {
      // Under this name machines need no entry in the log policy of the account, which has room for few.
      logGroupName: `/aws/vendedlogs/states/${this.stackName}`,
      retention: settings.logDays,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.step = new NodeFunction(this, 'Step', {
      entry: 'functions/step/index.ts',
      description: 'Runs one step of a plan, or asks a person about it',
      settings,
      memoryMb: 3008,
      timeout: Duration.minutes(15),
      onnx: onnxLayer(this),
    })
      .usesTable('ASSAY_TABLE', data.table)
      .writes('ASSAY_IMAGES_BUCKET', data.images)
      .reads('ASSAY_MODELS_BUCKET', data.models)
      .readsSecret('ASSAY_HALLMARK_SECRET', data.hallmarkSecret)
      .may('ASSAY_EVENT_BUS', data.events.eventBusName, putEvents(data))
      .sendsTraces(settings);
    this.failedRuns = this.countFailures();
    this.role = this.machineRole();
    this.undelivered = {
      CleanUp: failureQueue(this, 'CleanUpFailures'),
      Ended: failureQueue(this, 'EndedFailures'),
      Sources: failureQueue(this, 'SourcesFailures'),
    };
    this.removeUnused();
    this.noteEnds();
    this.refreshSources();
    runConfigured(this.step, settings);
    sealsSecrets(this.step, data.secretsKey);
    this.staticMachines(props);
  }

  /** Machines are created when plans first run, so failures are counted in their shared log group. */
  private countFailures(): IMetric {
    const filter = new MetricFilter(this, 'FailedRuns', {
      logGroup: this.logs,
      metricNamespace: 'Assay',
      metricName: `FailedRuns-${this.stackName}`,
      metricValue: '1',
      filterPattern: FilterPattern.any(
        ...['ExecutionFailed', 'ExecutionTimedOut'].map((type) => FilterPattern.stringValue('$.type', '=', type)),
      ),
    });
    return filter.metric({ statistic: 'Sum', ...FIVE_MINUTES });
  }

  private machineRole(): Role {
    const role = new Role(this, 'MachineRole', {
      description: 'Worn by every state machine of Assay',
      assumedBy: new ServicePrincipal('states.amazonaws.com', {
        conditions: { StringEquals: { 'aws:SourceAccount': this.account } },
      }),
    });
    role.addToPolicy(
      new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [this.step.function.functionArn] }),
    );
    role.addToPolicy(
      new PolicyStatement({
        actions: [
          'logs:CreateLogDelivery',
          'logs:GetLogDelivery',
          'logs:UpdateLogDelivery',
          'logs:DeleteLogDelivery',
          'logs:ListLogDeliveries',
          'logs:PutResourcePolicy',
          'logs:DescribeResourcePolicies',
          'logs:DescribeLogGroups',
          'xray:PutTraceSegments',
          'xray:PutTelemetryRecords',
          'xray:GetSamplingRules',
          'xray:GetSamplingTargets',
        ],
        resources: ['*'],
      }),
    );
    acknowledge(role, { 'AwsSolutions-IAM5[Resource::*]': 'delivery of logs and traces has no narrower name' });
    return role;
  }

  /** To score a stored picture once more, and to score those of a manifest. */
  private staticMachines({ data, inference }: Props): void {
    const { upload, gpu } = inference;
    const allow = (actions: readonly string[], ...resources: readonly string[]): void =>
      void this.role.addToPolicy(new PolicyStatement({ actions: [...actions], resources: [...resources] }));
    allow(['lambda:InvokeFunction'], upload.function.functionArn);
    allow(['events:PutEvents'], data.events.eventBusArn);
    const common = { role: this.role, logs: this.logs };
    const EventBus = data.events.eventBusName;
    new StaticMachine(this, 'UploadMachine', {
      ...common,
      name: 'upload',
      names: { EventBus, UploadFunction: upload.function.functionArn },
    });
    if (!gpu) return;
    allow(['batch:SubmitJob'], gpu.queue.jobQueueArn, gpu.jobArns);
    allow(['batch:DescribeJobs', 'batch:TerminateJob'], '*');
    allow(['events:PutTargets', 'events:PutRule', 'events:DescribeRule'], batchRule(this));
    acknowledge(this.role, {
      [`AwsSolutions-IAM5[Resource::${arnAsWritten(this, gpu.jobArns)}]`]: 'every revision of the one job definition',
    });
    new StaticMachine(this, 'BatchMachine', {
      ...common,
      name: 'batch',
      names: { EventBus, JobQueue: gpu.queue.jobQueueArn, JobDefinition: gpu.jobName },
    });
  }

  /** Every day, machines that no plan has used for thirty days. */
  private removeUnused(): void {
    this.step
      .may('ASSAY_MACHINE_PREFIX', machinePrefix(this))
      .may('ASSAY_MACHINE_LOGS', this.logs.logGroupArn)
      .may('ASSAY_MACHINE_ROLE', this.role.roleArn, ...machineAccess(this, this.role.roleArn));
    new Rule(this, 'CleanUp', {
      description: 'Removes state machines that are no longer used',
      schedule: Schedule.rate(Duration.days(1)),
      targets: [
        new LambdaFunction(this.step.function, {
          event: RuleTargetInput.fromObject({ clean_up: true }),
          retryAttempts: 2,
          deadLetterQueue: this.undelivered.CleanUp,
        }),
      ],
    });
  }

  /** Refreshes the due sources of all tenants every five minutes, with one rule. */
  private refreshSources(): void {
    new Rule(this, 'Sources', {
      description: 'Refreshes sources that are due',
      schedule: Schedule.rate(Duration.minutes(5)),
      targets: [
        new LambdaFunction(this.step.function, {
          event: RuleTargetInput.fromObject({ refresh_sources: true }),
          retryAttempts: 0,
          deadLetterQueue: this.undelivered.Sources,
        }),
      ],
    });
  }

  /** Records and charges runs when they end, even if nobody views them. */
  private noteEnds(): void {
    const ours = this.formatArn({ service: 'states', resource: `stateMachine:${machinePrefix(this)}` });
    new Rule(this, 'Ended', {
      description: 'Takes note of runs that have ended',
      eventPattern: {
        source: ['aws.states'],
        detailType: ['Step Functions Execution Status Change'],
        detail: { status: ['SUCCEEDED', 'FAILED', 'TIMED_OUT', 'ABORTED'], stateMachineArn: Match.prefix(ours) },
      },
      targets: [
        new LambdaFunction(this.step.function, {
          retryAttempts: 8,
          deadLetterQueue: this.undelivered.Ended,
        }),
      ],
    });
  }
}

/** The rule by which Step Functions is notified of the end of jobs. */
const batchRule = (stack: Stack): string =>
  stack.formatArn({ service: 'events', resource: 'rule', resourceName: 'StepFunctionsGetEventsForBatchJobsRule' });
