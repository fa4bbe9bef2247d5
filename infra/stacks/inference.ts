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

/** Only these objects are pictures to score: the scores themselves are written beside them. */
const UPLOADS = 'images/';

/** Scoring: of uploads by event, of large pictures in a container, of many on machines with a GPU. */
export class InferenceStack extends Stack {
  readonly upload: NodeFunction;
  readonly inference: ContainerFunction;
  /** Records pictures as failed at which the others ended until their tries were used up. */
  readonly failed: NodeFunction;
  /** Where the stage has machines with a GPU. */
  readonly gpu: GpuBatch | undefined;
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
    this.gpu = this.gpuBatch(props);
    this.upload = this.uploads(props);
    this.failed = this.recordsFailures(props);
  }

  private gpuBatch({ settings: { logDays, gpu: machines }, data }: Props): GpuBatch | undefined {
    if (!machines) return undefined;
    const gpu = new GpuBatch(this, 'Gpu', {
      settings: { logDays, gpu: machines },
      image: inferenceImage(this, 'GpuImage', 'gpu'),
      environment: {
        AWS_REGION: this.region,
        ASSAY_PROVIDERS: 'cuda',
        ASSAY_TABLE: data.table.tableName,
        ASSAY_IMAGES_BUCKET: data.images.bucketName,
        ASSAY_MODELS_BUCKET: data.models.bucketName,
        ASSAY_HALLMARK_SECRET: data.hallmarkSecret.secretArn,
      },
    });
    data.table.grantReadWriteData(gpu.role);
    data.hallmarkSecret.grantRead(gpu.role);
    grantObjects(gpu.role, data.images, 'write');
    grantObjects(gpu.role, data.models, 'read');
    return gpu;
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
    if (this.gpu) this.sendsJobs(upload, this.gpu);
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
    for (const { function: scoring } of [this.upload, this.inference])
      scoring.configureAsyncInvoke({ onFailure: new LambdaDestination(failed.function) });
    return failed;
  }

  private sendsJobs(upload: NodeFunction, { queue, jobArns, jobName }: GpuBatch): void {
    const submit = new PolicyStatement({ actions: ['batch:SubmitJob'], resources: [queue.jobQueueArn, jobArns] });
    upload.may('ASSAY_JOB_QUEUE', queue.jobQueueArn, submit).may('ASSAY_JOB_DEFINITION', jobName);
    acknowledge(upload, {
      [`AwsSolutions-IAM5[Resource::${arnAsWritten(this, jobArns)}]`]: 'every revision of the one job definition',
    });
  }
}
