import { CfnOutput, Duration, Stack, type StackProps } from 'aws-cdk-lib';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import { type FunctionUrl, FunctionUrlAuthType, InvokeMode, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { DynamoEventSource, SqsDlq } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Construct } from 'constructs';
import type { StageSettings } from '../config.ts';
import { fits } from '../constructs/fits.ts';
import { machineAccess } from '../constructs/machine-access.ts';
import { NodeFunction } from '../constructs/node-function.ts';
import { onnxLayer } from '../constructs/onnx-layer.ts';
import { type DataStack, putEvents } from './data.ts';
import type { PlansStack } from './plans.ts';

interface Props extends StackProps {
  readonly settings: StageSettings;
  readonly data: DataStack;
  readonly plans: PlansStack;
}

/** The api with its URL, and what folds the table's stream into statistics and snapshots. */
export class ApiStack extends Stack {
  readonly api: NodeFunction;
  readonly stream: NodeFunction;
  readonly url: FunctionUrl;

  constructor(scope: Construct, id: string, props: Props) {
    super(scope, id, props);
    const { settings, data, plans } = props;
    this.api = new NodeFunction(this, 'Api', {
      entry: 'functions/api/index.ts',
      description: 'The HTTP API and MCP',
      settings,
      memoryMb: 1769,
      timeout: Duration.seconds(120),
      onnx: onnxLayer(this),
      reservedConcurrency: settings.apiConcurrency,
    })
      .usesTable('ASSAY_TABLE', data.table)
      .writes('ASSAY_IMAGES_BUCKET', data.images)
      .writes('ASSAY_MODELS_BUCKET', data.models)
      .writes('ASSAY_SNAPSHOTS_BUCKET', data.snapshots)
      .readsSecret('ASSAY_ORIGIN_SECRET', data.originSecret)
      .readsSecret('ASSAY_HALLMARK_SECRET', data.hallmarkSecret)
      .readsSecret('ASSAY_ADMIN_SECRET', data.adminSecret)
      .may('ASSAY_EVENT_BUS', data.events.eventBusName, putEvents(data))
      .may('ASSAY_STEP_FUNCTION', plans.step.function.functionName)
      .may('ASSAY_MACHINE_LOGS', plans.logs.logGroupArn)
      .may('ASSAY_MACHINE_ROLE', plans.role.roleArn, ...machineAccess(this, plans.role.roleArn));
    this.askModel(settings.llm);
    // CloudFront's origin access control would replace Authorization and ask clients for a hash of each body.
    this.url = this.api.function.addFunctionUrl({
      authType: FunctionUrlAuthType.NONE,
      invokeMode: InvokeMode.RESPONSE_STREAM,
    });
    this.stream = this.foldStream(props);
    new CfnOutput(this, 'ApiFunction', { value: this.api.function.functionName });
  }

  /** Where decisions may ask a language model; the rules decide where none is given. */
  private askModel(llm: StageSettings['llm']): void {
    if (llm === undefined) return;
    this.api.may('ASSAY_LLM_URL', llm.url);
    if (llm.model !== undefined) this.api.may('ASSAY_LLM_MODEL', llm.model);
    if (llm.secretArn !== undefined)
      this.api.readsSecret('ASSAY_LLM_SECRET', Secret.fromSecretCompleteArn(this, 'ModelKey', llm.secretArn));
  }

  private foldStream({ settings, data }: Props): NodeFunction {
    const stream = new NodeFunction(this, 'Stream', {
      entry: 'functions/stream/index.ts',
      description: 'Folds changes of the table into statistics, usage and snapshots',
      settings,
      memoryMb: 512,
      timeout: Duration.seconds(60),
    })
      .usesTable('ASSAY_TABLE', data.table)
      .writes('ASSAY_SNAPSHOTS_BUCKET', data.snapshots)
      .may('ASSAY_EVENT_BUS', data.events.eventBusName, putEvents(data));
    stream.function.addEventSource(
      new DynamoEventSource(fits<ITable>(data.table), {
        startingPosition: StartingPosition.TRIM_HORIZON,
        batchSize: 100,
        maxBatchingWindow: Duration.seconds(1),
        bisectBatchOnError: true,
        reportBatchItemFailures: true,
        // Without an end one record that cannot be folded holds up its shard for a day.
        retryAttempts: 8,
        maxRecordAge: Duration.hours(12),
        parallelizationFactor: 1,
        // Only with a window does an event name its shard, by which the fold knows what it has counted.
        tumblingWindow: Duration.minutes(5),
        onFailure: new SqsDlq(stream.failures),
      }),
    );
    return stream;
  }
}
