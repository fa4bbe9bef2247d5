import { Duration, Stack, type StackProps } from 'aws-cdk-lib';
import { Rule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { LambdaDestination } from 'aws-cdk-lib/aws-lambda-destinations';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { StageSettings } from '../config.ts';
import { acknowledge, arnAsWritten } from '../constructs/acknowledge.ts';
import { ContainerFunction } from '../constructs/container-function.ts';
import { CpuBatch } from '../constructs/cpu-batch.ts';
import { GpuBatch } from '../constructs/gpu-batch.ts';
import { grantObjects } from '../constructs/grant-objects.ts';
import { failureQueue } from '../constructs/granted-function.ts';
import { inferenceImage } from '../constructs/inference-image.ts';
import { NodeFunction } from '../constructs/node-function.ts';
import { onnxLayer } from '../constructs/onnx-layer.ts';
import { type DataStack, putEvents } from './data.ts';

interface Props extends StackProps {
  readonly settings: StageSettings;
  readonly data: DataStack;
}

/** Only these objects are pictures to score; scores are stored under another prefix. */
const UPLOADS = 'images/';

/** Scoring: of uploads by event, of large pictures in a container, of many on machines with a GPU. */
export class InferenceStack extends Stack {
  readonly upload: NodeFunction;
  readonly inference: ContainerFunction;
  /** Records pictures as failed whose functions died on every try. */
  readonly failed: NodeFunction;
  /** Present if the stage has GPU machines. */
  readonly gpu: GpuBatch | undefined;
  /** Runs jobs that got no GPU machine. */
  readonly cpu: CpuBatch | undefined;
  /** Events that could not be delivered at all. */
  readonly undelivered: Queue;

  constructor(scope: Construct, id: string, props: Props) {
    super(scope, id, props);
    const { settings, data } = props;
    this.inference = new ContainerFunction(this, 'Inference', {
      image: inferenceImage(this, 'CpuImage', 'cpu'),
      description: 'Scores large pictures and runs learned models',
      settings,
      memoryMb: settings.inferenceMb,
      timeout: Duration.minutes(15),
    })
      .usesTable('ASSAY_TABLE', data.table)
      .writes('ASSAY_IMAGES_BUCKET', data.images)
      .reads('ASSAY_MODELS_BUCKET', data.models)
      .readsSecret('ASSAY_HALLMARK_SECRET', data.hallmarkSecret)
      .sendsTraces(settings);
    this.undelivered = failureQueue(this, 'Undelivered');
    const batch = this.batch(props);
    this.gpu = batch?.gpu;
    this.cpu = batch?.cpu;
    this.upload = this.uploads(props);
    this.failed = this.recordsFailures(props);
  }

  private batch({ settings: { logDays, gpu: machines }, data }: Props) {
    if (!machines) return undefined;
    const image = inferenceImage(this, 'GpuImage', 'gpu');
    const environment = {
      AWS_REGION: this.region,
      ASSAY_TABLE: data.table.tableName,
      ASSAY_IMAGES_BUCKET: data.images.bucketName,
      ASSAY_MODELS_BUCKET: data.models.bucketName,
      ASSAY_HALLMARK_SECRET: data.hallmarkSecret.secretArn,
    };
    const gpu = new GpuBatch(this, 'Gpu', {
      settings: { logDays, gpu: machines },
      image,
      environment: { ...environment, ASSAY_PROVIDERS: 'cuda' },
    });
    const { vpc, role, logGroup } = gpu;
    const cpu = new CpuBatch(this, 'Cpu', {
      vpc,
      image,
      role,
      logGroup,
      environment: { ...environment, ASSAY_PROVIDERS: 'cpu' },
      maxVcpus: machines.maxVcpus,
    });
    data.table.grantReadWriteData(role);
    data.hallmarkSecret.grantRead(role);
    grantObjects(role, data.images, 'write');
    grantObjects(role, data.models, 'read');
    return { gpu, cpu };
  }

  private uploads({ settings, data }: Props): NodeFunction {
    const upload = new NodeFunction(this, 'Upload', {
      entry: 'functions/upload/index.ts',
      description: 'Scores a picture when it is stored',
      settings,
      memoryMb: 3008,
      timeout: Duration.minutes(5),
      onnx: onnxLayer(this),
    })
      .usesTable('ASSAY_TABLE', data.table)
      .writes('ASSAY_IMAGES_BUCKET', data.images)
      .reads('ASSAY_MODELS_BUCKET', data.models)
      .readsSecret('ASSAY_HALLMARK_SECRET', data.hallmarkSecret)
      .sendsTraces(settings)
      .may(
        'ASSAY_INFERENCE_FUNCTION',
        this.inference.function.functionName,
        new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [this.inference.function.functionArn] }),
      )
      .may('ASSAY_EVENT_BUS', data.events.eventBusName, putEvents(data));
    if (this.gpu && this.cpu) this.sendsJobs(upload, this.gpu, this.cpu);
    new Rule(this, 'Uploaded', {
      description: 'A picture was uploaded',
      eventPattern: {
        source: ['aws.s3'],
        detailType: ['Object Created'],
        detail: { bucket: { name: [data.images.bucketName] }, object: { key: [{ prefix: UPLOADS }] } },
      },
      targets: [
        new LambdaFunction(upload.function, {
          retryAttempts: 8,
          maxEventAge: Duration.hours(6),
          deadLetterQueue: this.undelivered,
        }),
      ],
    });
    return upload;
  }

  private recordsFailures({ settings, data }: Props): NodeFunction {
    const failed = new NodeFunction(this, 'Failed', {
      entry: 'functions/give-up/index.ts',
      description: 'Records pictures as failed at which functions ended',
      settings,
      memoryMb: 256,
      timeout: Duration.seconds(30),
    })
      .usesTable('ASSAY_TABLE', data.table)
      .writes('ASSAY_IMAGES_BUCKET', data.images);
    const { 'Fn::GetAtt': arn } = this.resolve(failed.function.functionArn) as { 'Fn::GetAtt': readonly string[] };
    for (const scoring of [this.upload, this.inference]) {
      scoring.function.configureAsyncInvoke({ onFailure: new LambdaDestination(failed.function) });
      acknowledge(scoring, {
        [`AwsSolutions-IAM5[Resource::<${arn.join('.')}>:*]`]:
          'every version of the one function that records failures',
      });
    }
    return failed;
  }

  /** GPU jobs, and CPU jobs for those that got no GPU machine. */
  private sendsJobs(upload: NodeFunction, gpu: GpuBatch, cpu: CpuBatch): void {
    const submit = new PolicyStatement({
      actions: ['batch:SubmitJob'],
      resources: [gpu, cpu].flatMap(({ queue, jobArns }) => [queue.jobQueueArn, jobArns]),
    });
    upload
      .may('ASSAY_JOB_QUEUE', gpu.queue.jobQueueArn, submit)
      .may('ASSAY_JOB_DEFINITION', gpu.jobName)
      .may('ASSAY_CPU_JOB_QUEUE', cpu.queue.jobQueueArn)
      .may('ASSAY_CPU_JOB_DEFINITION', cpu.jobName);
    for (const { jobArns } of [gpu, cpu])
      acknowledge(upload, {
        [`AwsSolutions-IAM5[Resource::${arnAsWritten(this, jobArns)}]`]: 'every revision of the one job definition',
      });
    new Rule(this, 'JobFailed', {
      description: 'A job with a GPU failed',
      eventPattern: {
        source: ['aws.batch'],
        detailType: ['Batch Job State Change'],
        detail: { jobQueue: [gpu.queue.jobQueueArn], status: ['FAILED'] },
      },
      targets: [
        new LambdaFunction(upload.function, {
          retryAttempts: 8,
          maxEventAge: Duration.hours(6),
          deadLetterQueue: this.undelivered,
        }),
      ],
    });
  }
}
