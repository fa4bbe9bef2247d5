import { Duration, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib';
import { Rule, RuleTargetInput, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { StageSettings } from '../config.ts';
import { acknowledge } from '../constructs/acknowledge.ts';
import { failureQueue } from '../constructs/granted-function.ts';
import { machineAccess } from '../constructs/machine-access.ts';
import { NodeFunction } from '../constructs/node-function.ts';
import { onnxLayer } from '../constructs/onnx-layer.ts';
import { type DataStack, putEvents } from './data.ts';

interface Props extends StackProps {
  readonly settings: StageSettings;
  readonly data: DataStack;
}

/** What plans run on: the function behind every step and approval, and the role and log of machines made later. */
export class PlansStack extends Stack {
  readonly step: NodeFunction;
  readonly role: Role;
  readonly logs: LogGroup;

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
      .may('ASSAY_EVENT_BUS', data.events.eventBusName, putEvents(data));
    this.role = this.machineRole();
    this.removeUnused();
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

  /** Every day, machines that no plan has used for thirty days. */
  private removeUnused(): void {
    for (const statement of machineAccess(this, this.role.roleArn)) this.step.function.addToRolePolicy(statement);
    new Rule(this, 'CleanUp', {
      description: 'Removes state machines that are no longer used',
      schedule: Schedule.rate(Duration.days(1)),
      targets: [
        new LambdaFunction(this.step.function, {
          event: RuleTargetInput.fromObject({ clean_up: true }),
          retryAttempts: 2,
          deadLetterQueue: failureQueue(this, 'CleanUpFailures'),
        }),
      ],
    });
  }
}
