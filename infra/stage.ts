import { Stage, type StageProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { checkStageName } from './build/stage-arguments.ts';
import type { StageSettings } from './config.ts';
import { ApiStack } from './stacks/api.ts';
import { ConsoleStack } from './stacks/console.ts';
import { DataStack } from './stacks/data.ts';
import { EdgeStack } from './stacks/edge.ts';
import { InferenceStack } from './stacks/inference.ts';
import { OperationsStack } from './stacks/operations.ts';
import { PlansStack } from './stacks/plans.ts';

const EDGE_REGION = 'us-east-1';

/** Feature flags of the CDK that are off for older projects. */
const FLAGS = {
  '@aws-cdk/aws-s3:serverAccessLogsUseBucketPolicy': true,
  '@aws-cdk/aws-iam:minimizePolicies': true,
  '@aws-cdk/aws-lambda:recognizeLayerVersion': true,
  // A stack keeps exports that another still uses.
  '@aws-cdk/core:defaultCrossStackReferences': 'strong',
} as const;

/** One deployment of the product: its stacks and their dependencies. */
export class AssayStage extends Stage {
  constructor(scope: Construct, id: string, settings: StageSettings, props: StageProps = {}) {
    super(scope, id, props);
    checkStageName(id);
    for (const [flag, value] of Object.entries(FLAGS)) this.node.setContext(flag, value);
    const { region } = settings;
    // Only the Region is given: with the account, a network would have to ask AWS for its zones.
    const at = (name: string, where = region) => ({
      stackName: `assay-${id}-${name}`,
      env: { region: where },
      description: `Assay ${id}: ${name}`,
      crossRegionReferences: region !== EDGE_REGION,
    });
    const data = new DataStack(this, 'data', {
      ...at('data'),
      settings,
      secretRegions: region === EDGE_REGION ? [] : [EDGE_REGION],
    });
    const inference = new InferenceStack(this, 'inference', { ...at('inference'), settings, data });
    const plans = new PlansStack(this, 'plans', { ...at('plans'), settings, data, inference });
    const api = new ApiStack(this, 'api', { ...at('api'), settings, data, plans });
    const edge = new EdgeStack(this, 'edge', { ...at('edge', EDGE_REGION), settings, data, api });
    new ConsoleStack(this, 'console', { ...at('console', EDGE_REGION), settings, edge });
    new OperationsStack(this, 'operations', { ...at('operations'), settings, data, plans, api, edge, inference });
  }
}
