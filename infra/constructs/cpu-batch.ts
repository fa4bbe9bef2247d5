import { Duration, Size, Stack } from 'aws-cdk-lib';
import {
  Action,
  EcsFargateContainerDefinition,
  EcsJobDefinition,
  FargateComputeEnvironment,
  JobQueue,
  Reason,
  RetryStrategy,
} from 'aws-cdk-lib/aws-batch';
import { type IVpc, SubnetType } from 'aws-cdk-lib/aws-ec2';
import type { DockerImageAsset } from 'aws-cdk-lib/aws-ecr-assets';
import { ContainerImage, LogDriver } from 'aws-cdk-lib/aws-ecs';
import type { Role } from 'aws-cdk-lib/aws-iam';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { acknowledge } from './acknowledge.ts';

interface Props {
  readonly vpc: IVpc;
  /** The jobs with a GPU have the same image, role and log. */
  readonly image: DockerImageAsset;
  readonly role: Role;
  readonly logGroup: ILogGroup;
  readonly environment: Readonly<Record<string, string>>;
  readonly maxVcpus: number;
}

/** Processors that take over the jobs for which no machine with a GPU came. */
export class CpuBatch extends Construct {
  readonly queue: JobQueue;
  readonly jobName: string;
  /** All revisions of its definition. */
  readonly jobArns: string;

  constructor(scope: Construct, id: string, props: Props) {
    super(scope, id);
    const stack = Stack.of(this);
    this.jobName = `${stack.stackName}-cpu`;
    this.jobArns = stack.formatArn({ service: 'batch', resource: 'job-definition', resourceName: `${this.jobName}*` });
    this.queue = new JobQueue(this, 'Queue', {
      computeEnvironments: [
        {
          order: 1,
          computeEnvironment: new FargateComputeEnvironment(this, 'Processors', {
            vpc: props.vpc,
            vpcSubnets: { subnetType: SubnetType.PUBLIC },
            spot: true,
            maxvCpus: props.maxVcpus,
          }),
        },
      ],
    });
    new EcsJobDefinition(this, 'Job', {
      jobDefinitionName: this.jobName,
      container: this.container(props),
      timeout: Duration.hours(12),
      retryAttempts: 5,
      retryStrategies: [
        RetryStrategy.of(Action.RETRY, Reason.SPOT_INSTANCE_RECLAIMED),
        RetryStrategy.of(Action.RETRY, Reason.custom({ onExitCode: '75' })),
        RetryStrategy.of(Action.EXIT, Reason.custom({ onReason: '*' })),
      ],
    });
  }

  private container({ image, role, logGroup, environment }: Props): EcsFargateContainerDefinition {
    const container = new EcsFargateContainerDefinition(this, 'Container', {
      image: ContainerImage.fromDockerImageAsset(image),
      cpu: 4,
      memory: Size.gibibytes(16),
      // Public subnets and no NAT: the image comes through the Internet.
      assignPublicIp: true,
      jobRole: role,
      environment: { ...environment },
      logging: LogDriver.awsLogs({ logGroup, streamPrefix: 'inference-cpu' }),
    });
    acknowledge(container, { 'AwsSolutions-IAM5[Resource::*]': 'ecr:GetAuthorizationToken has no narrower name' });
    return container;
  }
}
