import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import type { ITableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  ApplicationLogLevel,
  type FunctionOptions,
  type Function as LambdaFunction,
  LoggingFormat,
  SystemLogLevel,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { StageSettings } from '../config.ts';
import { acknowledge } from './acknowledge.ts';
import { grantObjects } from './grant-objects.ts';

export interface FunctionSettings {
  readonly description: string;
  readonly settings: Pick<StageSettings, 'logDays'>;
  readonly memoryMb: number;
  readonly timeout: Duration;
}

/** A function with the settings of all our functions. One call grants a permission and sets its variable. */
export abstract class GrantedFunction extends Construct {
  abstract readonly function: LambdaFunction;
  /** The dead-letter queue for its failed events. */
  readonly failures: Queue;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.failures = failureQueue(this, 'Failures');
    acknowledge(this, { 'AwsSolutions-IAM5[Resource::*]': 'X-Ray takes segments under no narrower name' });
  }

  /** Log with an end, tracing, dead-letter queue, and a role that may write to that log. */
  protected common({ description, settings, memoryMb, timeout }: FunctionSettings): FunctionOptions {
    const logGroup = new LogGroup(this, 'Logs', {
      retention: settings.logDays,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    return {
      description,
      memorySize: memoryMb,
      timeout,
      role: logWriter(this, logGroup),
      logGroup,
      loggingFormat: LoggingFormat.JSON,
      // Start and end of every call are metrics already; as lines they would be half the log.
      systemLogLevelV2: SystemLogLevel.WARN,
      applicationLogLevelV2: ApplicationLogLevel.INFO,
      tracing: Tracing.ACTIVE,
      deadLetterQueue: this.failures,
    };
  }

  /** Reads and writes a table, which it finds under a variable. */
  usesTable(variable: string, table: ITableV2): this {
    table.grantReadWriteData(this.function);
    return this.knows(variable, table.tableName);
  }

  reads(variable: string, bucket: IBucket): this {
    grantObjects(this.function, bucket, 'read');
    return this.knows(variable, bucket.bucketName);
  }

  writes(variable: string, bucket: IBucket): this {
    grantObjects(this.function, bucket, 'write');
    return this.knows(variable, bucket.bucketName);
  }

  /** Reads a secret itself; the variable says only which. */
  readsSecret(variable: string, secret: ISecret): this {
    secret.grantRead(this.function);
    return this.knows(variable, secret.secretArn);
  }

  /** Grants further actions, and sets the variable with their resource. */
  may(variable: string, value: string, ...statements: readonly PolicyStatement[]): this {
    for (const statement of statements) this.function.addToRolePolicy(statement);
    return this.knows(variable, value);
  }

  /** Sends its spans by OTLP, where the stage says so: of traces that X-Ray's rule or a caller has chosen. */
  sendsTraces({ otlp }: Pick<StageSettings, 'otlp'>): this {
    if (otlp === undefined) return this;
    const { region, stackName } = Stack.of(this);
    const endpoint = otlp === 'xray' ? `https://xray.${region}.amazonaws.com/v1/traces` : otlp;
    return this.knows('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', endpoint)
      .knows('OTEL_TRACES_SAMPLER', 'parentbased_always_off')
      .knows('OTEL_EXPORTER_OTLP_TIMEOUT', '2000')
      .knows('OTEL_SERVICE_NAME', `${stackName}-${this.node.id}`.toLowerCase());
  }

  private knows(variable: string, value: string): this {
    this.function.addEnvironment(variable, value);
    return this;
  }
}

/** A queue for what failed, looked at by people. */
export const failureQueue = (scope: Construct, id: string): Queue => {
  const queue = new Queue(scope, id, { enforceSSL: true, retentionPeriod: Duration.days(14) });
  const reason = 'this queue is itself where failures end';
  acknowledge(queue, { 'AwsSolutions-SQS3': reason, 'Serverless-SQSRedrivePolicy': reason });
  return queue;
};

/** May write its own log and nothing else, so that no log group without an end comes into being. */
const logWriter = (scope: Construct, logGroup: LogGroup): Role =>
  new Role(scope, 'Role', {
    assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
    inlinePolicies: {
      log: new PolicyDocument({
        statements: [
          new PolicyStatement({
            actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
            resources: [logGroup.logGroupArn],
          }),
        ],
      }),
    },
  });
