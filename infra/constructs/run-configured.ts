import { Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { StageSettings } from '../config.ts';
import type { NodeFunction } from './node-function.ts';

/** Lets a function run the functions that the configuration names as sources, and no others. */
export const runConfigured = (granted: NodeFunction, { functions = [] }: Pick<StageSettings, 'functions'>): void => {
  if (functions.length === 0) return;
  const stack = Stack.of(granted);
  const resources = functions.map((name) =>
    name.startsWith('arn:') ? name : stack.formatArn({ service: 'lambda', resource: `function:${name}` }),
  );
  granted.function.addToRolePolicy(new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources }));
};
