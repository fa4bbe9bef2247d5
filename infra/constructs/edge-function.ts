import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { CompositePrincipal, Policy, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { StageSettings } from '../config.ts';
import { acknowledge } from './acknowledge.ts';
import { functionCode } from './function-code.ts';

interface Props {
  readonly entry: string;
  readonly description: string;
  readonly settings: Pick<StageSettings, 'logDays'>;
  /** The objects it may read, as ARNs. */
  readonly reads: readonly string[];
}

/**
 * A function for CloudFront's edge, which has no environment variables, layers, queue, tracing or arm64.
 * It runs in many Regions, and each would begin a log group there that nothing ends: it may not create any, so its
 * log is kept where this stack has made the group, in us-east-1.
 */
export class EdgeFunction extends Construct {
  readonly function: LambdaFunction;

  constructor(scope: Construct, id: string, { entry, description, settings, reads }: Props) {
    super(scope, id);
    const role = new Role(this, 'Role', {
      assumedBy: new CompositePrincipal(
        new ServicePrincipal('lambda.amazonaws.com'),
        new ServicePrincipal('edgelambda.amazonaws.com'),
      ),
    });
    this.function = new LambdaFunction(this, 'Function', {
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.X86_64,
      handler: 'index.handler',
      code: functionCode(entry),
      description,
      memorySize: 512,
      timeout: Duration.seconds(10),
      role,
    });
    const logs = new LogGroup(this, 'Logs', {
      logGroupName: `/aws/lambda/us-east-1.${this.function.functionName}`,
      retention: settings.logDays,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    // Apart from the role's own policy, on which the function waits: the log group is named after the function.
    new Policy(this, 'Access', {
      roles: [role],
      statements: [
        new PolicyStatement({ actions: ['logs:CreateLogStream', 'logs:PutLogEvents'], resources: [logs.logGroupArn] }),
        new PolicyStatement({ actions: ['s3:GetObject'], resources: [...reads] }),
      ],
    });
    const reason = 'not to be had at the edge';
    acknowledge(this, {
      'Serverless-LambdaTracing': reason,
      'Serverless-LambdaDLQ': reason,
    });
  }
}
