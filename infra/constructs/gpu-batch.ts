import { Duration, RemovalPolicy, Size, Stack } from 'aws-cdk-lib';
import {
  Action,
  AllocationStrategy,
  EcsEc2ContainerDefinition,
  EcsJobDefinition,
  EcsMachineImageType,
  JobQueue,
  JobStateTimeLimitActionsReason,
  ManagedEc2EcsComputeEnvironment,
  Reason,
  RetryStrategy,
} from 'aws-cdk-lib/aws-batch';
import {
  BlockDeviceVolume,
  EbsDeviceVolumeType,
  FlowLogDestination,
  FlowLogTrafficType,
  GatewayVpcEndpointAwsService,
  InstanceType,
  type IVpc,
  LaunchTemplate,
  LaunchTemplateHttpTokens,
  SubnetType,
  Vpc,
} from 'aws-cdk-lib/aws-ec2';
import type { DockerImageAsset } from 'aws-cdk-lib/aws-ecr-assets';
import { ContainerImage, LogDriver } from 'aws-cdk-lib/aws-ecs';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { StageSettings } from '../config.ts';
import { acknowledge } from './acknowledge.ts';
import { GPU_INSTANCES } from './gpu-instances.ts';

interface Props {
  readonly settings: Pick<StageSettings, 'logDays'> & { readonly gpu: NonNullable<StageSettings['gpu']> };
  readonly image: DockerImageAsset;
  readonly environment: Readonly<Record<string, string>>;
}

/** Spot machines with a GPU that come when jobs wait and go when none do. */
export class GpuBatch extends Construct {
  readonly queue: JobQueue;
  readonly job: EcsJobDefinition;
  /** The definition's name, which unlike its address stays the same when it changes. */
  readonly jobName: string;
  /** All its revisions. */
  readonly jobArns: string;
  /** What the worker may do. */
  readonly role: Role;
  readonly vpc: IVpc;
  readonly logGroup: LogGroup;

  constructor(scope: Construct, id: string, { settings, image, environment }: Props) {
    super(scope, id);
    this.role = new Role(this, 'JobRole', { assumedBy: new ServicePrincipal('ecs-tasks.amazonaws.com') });
    this.vpc = network(this, settings);
    this.logGroup = new LogGroup(this, 'Logs', {
      retention: settings.logDays,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.queue = new JobQueue(this, 'Queue', {
      computeEnvironments: [{ order: 1, computeEnvironment: machines(this, settings, this.vpc) }],
      // A job that was given up is failed by Batch, and goes to processors without a GPU.
      jobStateTimeLimitActions: Object.values(JobStateTimeLimitActionsReason).map((reason) => ({
        reason,
        maxTime: GIVEN_UP_AFTER,
      })),
    });
    const stack = Stack.of(this);
    this.jobName = `${stack.stackName}-gpu`;
    this.jobArns = stack.formatArn({ service: 'batch', resource: 'job-definition', resourceName: `${this.jobName}*` });
    this.job = new EcsJobDefinition(this, 'Job', {
      jobDefinitionName: this.jobName,
      container: this.container(image, environment),
      timeout: Duration.hours(6),
      retryAttempts: 5,
      retryStrategies: [
        // The worker stores each picture as it is done, so a machine that is taken away costs only the one at hand.
        RetryStrategy.of(Action.RETRY, Reason.SPOT_INSTANCE_RECLAIMED),
        RetryStrategy.of(Action.RETRY, Reason.CANNOT_PULL_CONTAINER),
        // The worker stopped in time, and left pictures for the next attempt.
        RetryStrategy.of(Action.RETRY, Reason.custom({ onExitCode: '75' })),
        RetryStrategy.of(Action.EXIT, Reason.custom({ onReason: '*' })),
      ],
    });
  }

  private container(image: DockerImageAsset, environment: Readonly<Record<string, string>>): EcsEc2ContainerDefinition {
    const container = new EcsEc2ContainerDefinition(this, 'Container', {
      image: ContainerImage.fromDockerImageAsset(image),
      // A g5.xlarge has 4 processors and 16 GiB, of which the machine itself needs some.
      cpu: 4,
      memory: Size.gibibytes(14),
      gpu: 1,
      jobRole: this.role,
      environment: { ...environment },
      logging: LogDriver.awsLogs({ logGroup: this.logGroup, streamPrefix: 'inference' }),
    });
    acknowledge(container, { 'AwsSolutions-IAM5[Resource::*]': 'ecr:GetAuthorizationToken has no narrower name' });
    return container;
  }
}

/** How long a job waits for a machine that does not come; Batch takes no less than ten minutes. */
const GIVEN_UP_AFTER = Duration.minutes(20);

const machines = (scope: Construct, settings: Props['settings'], vpc: IVpc): ManagedEc2EcsComputeEnvironment => {
  const environment = new ManagedEc2EcsComputeEnvironment(scope, 'Machines', {
    vpc,
    vpcSubnets: { subnetType: SubnetType.PUBLIC },
    instanceTypes: GPU_INSTANCES.map((name) => new InstanceType(name)),
    useOptimalInstanceClasses: false,
    // The default for machines with a GPU is still the system before.
    images: [{ imageType: EcsMachineImageType.ECS_AL2023_NVIDIA }],
    spot: true,
    allocationStrategy: AllocationStrategy.SPOT_PRICE_CAPACITY_OPTIMIZED,
    minvCpus: 0,
    maxvCpus: settings.gpu.maxVcpus,
    launchTemplate: new LaunchTemplate(scope, 'Machine', {
      httpTokens: LaunchTemplateHttpTokens.REQUIRED,
      blockDevices: [
        {
          deviceName: '/dev/xvda',
          volume: BlockDeviceVolume.ebs(100, { encrypted: true, volumeType: EbsDeviceVolumeType.GP3 }),
        },
      ],
    }),
  });
  acknowledge(environment, {
    'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonEC2ContainerServiceforEC2Role]':
      'AWS’s own policy for machines of an ECS cluster, which Batch makes and names itself',
  });
  return environment;
};

/** Public subnets and no NAT, which would cost by the hour; nothing is let in, and pictures come through S3's gateway. */
const network = (scope: Construct, settings: Props['settings']): IVpc => {
  const vpc = new Vpc(scope, 'Network', {
    ...(settings.gpu.zones ? { availabilityZones: [...settings.gpu.zones] } : { maxAzs: 3 }),
    natGateways: 0,
    restrictDefaultSecurityGroup: false,
    subnetConfiguration: [{ name: 'public', subnetType: SubnetType.PUBLIC, mapPublicIpOnLaunch: true }],
    gatewayEndpoints: {
      S3: { service: GatewayVpcEndpointAwsService.S3 },
      DynamoDb: { service: GatewayVpcEndpointAwsService.DYNAMODB },
    },
  });
  const logGroup = new LogGroup(scope, 'FlowLogs', {
    retention: settings.logDays,
    removalPolicy: RemovalPolicy.DESTROY,
  });
  vpc.addFlowLog('Flow', {
    destination: FlowLogDestination.toCloudWatchLogs(logGroup),
    trafficType: FlowLogTrafficType.REJECT,
  });
  return vpc;
};
