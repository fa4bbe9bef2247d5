import { CfnOutput, Duration, Stack, type StackProps } from 'aws-cdk-lib';
import {
  FilterCriteria,
  type FunctionUrl,
  FunctionUrlAuthType,
  InvokeMode,
  StartingPosition,
} from 'aws-cdk-lib/aws-lambda';
import { DynamoEventSource, SqsDlq } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Construct } from 'constructs';
import type { StageSettings } from '../config.ts';
import { cognitoIssuer } from '../constructs/cognito-issuer.ts';
import { machineAccess, machinePrefix } from '../constructs/machine-access.ts';
import { NodeFunction } from '../constructs/node-function.ts';
import { onnxLayer } from '../constructs/onnx-layer.ts';
import { runConfigured } from '../constructs/run-configured.ts';
import { sealsSecrets } from '../constructs/secrets-key.ts';
import { type DataStack, putEvents } from './data.ts';
import type { PlansStack } from './plans.ts';

interface Props extends StackProps {
  readonly settings: StageSettings;
  readonly data: DataStack;
  readonly plans: PlansStack;
}

/** The api with its URL, and the two consumers of the table's stream: one for totals, one for publishing to the edge. */
export class ApiStack extends Stack {
  readonly api: NodeFunction;
  readonly stream: NodeFunction;
  readonly publish: NodeFunction;
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
      .may('ASSAY_MACHINE_PREFIX', machinePrefix(this))
      .may('ASSAY_MACHINE_LOGS', plans.logs.logGroupArn)
      .may('ASSAY_MACHINE_ROLE', plans.role.roleArn, ...machineAccess(this, plans.role.roleArn));
    this.api.sendsTraces(settings);
    if (settings.storageMb !== undefined) this.api.may('ASSAY_STORAGE_MB', String(settings.storageMb));
    if (settings.toolsMb !== undefined) this.api.may('ASSAY_TOOLS_MB', String(settings.toolsMb));
    this.askModel(settings.llm);
    const issuers = [...(settings.issuers ?? []), ...cognitoIssuer(this, settings)];
    if (issuers.length > 0) this.api.may('ASSAY_ISSUERS', this.toJsonString(issuers));
    runConfigured(this.api, settings);
    sealsSecrets(this.api, data.secretsKey);
    // CloudFront's origin access control would replace Authorization and ask clients for a hash of each body.
    this.url = this.api.function.addFunctionUrl({
      authType: FunctionUrlAuthType.NONE,
      invokeMode: InvokeMode.RESPONSE_STREAM,
    });
    this.stream = this.foldStream(props);
    this.publish = this.publishChanges(props);
    new CfnOutput(this, 'ApiFunction', { value: this.api.function.functionName });
  }

  /** The language model for decisions; without one the rules decide. */
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
      description: 'Folds calls into statistics and usage',
      settings,
      memoryMb: 1024,
      timeout: Duration.seconds(60),
    }).usesTable('ASSAY_TABLE', data.table);
    stream.function.addEventSource(
      new DynamoEventSource(data.table, {
        ...untilDone(stream),
        batchSize: 1000,
        maxBatchingWindow: Duration.seconds(5),
        // Events name their shard only with a tumbling window, and totals have checkpoints per shard.
        tumblingWindow: Duration.minutes(5),
        filters: [CALLS],
      }),
    );
    return stream;
  }

  /** A stream has at most two consumers; this one is fast, so that a revoked key is refused within a minute. */
  private publishChanges({ settings, data }: Props): NodeFunction {
    const publish = new NodeFunction(this, 'Publish', {
      entry: 'functions/stream/publish.ts',
      description: 'Tells the edge of keys and catalogues, and the bus of events',
      settings,
      memoryMb: 512,
      timeout: Duration.seconds(60),
    })
      .usesTable('ASSAY_TABLE', data.table)
      .writes('ASSAY_SNAPSHOTS_BUCKET', data.snapshots)
      .may('ASSAY_EVENT_BUS', data.events.eventBusName, putEvents(data));
    publish.function.addEventSource(
      new DynamoEventSource(data.table, { ...untilDone(publish), batchSize: 100, filters: [CHANGES] }),
    );
    return publish;
  }
}

/** Without a limit of retries one failing record would block its shard for a day. */
const untilDone = ({ failures }: NodeFunction) => ({
  startingPosition: StartingPosition.TRIM_HORIZON,
  bisectBatchOnError: true,
  reportBatchItemFailures: true,
  retryAttempts: 8,
  maxRecordAge: Duration.hours(12),
  parallelizationFactor: 1,
  onFailure: new SqsDlq(failures),
});

// A call's sort key is a ULID, which begins with 0 until the year 3084.
const CALLS = sortKeys([{ prefix: '0' }]);
const CHANGES = sortKeys(['REVISION', 'KEY', 'BEAT', { prefix: 'EVENT#' }]);

function sortKeys(S: readonly (string | { readonly prefix: string })[]): Record<string, unknown> {
  return FilterCriteria.filter({ dynamodb: { Keys: { sk: { S } } } });
}
