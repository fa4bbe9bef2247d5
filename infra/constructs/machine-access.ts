import { Stack, Stage } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { acknowledge, arnAsWritten } from './acknowledge.ts';

/** The name prefix of a stage's state machines; permissions are limited to it. */
export const machinePrefix = (scope: Construct): string => `assay-${Stage.of(scope)?.stageName ?? ''}-`;

/** Lets a function that runs plans create, start, watch and remove our machines, always with the one role. */
export const machineAccess = (scope: Construct, roleArn: string): readonly PolicyStatement[] => {
  const at = (kind: string, rest: string): string =>
    Stack.of(scope).formatArn({ service: 'states', resource: `${kind}:${machinePrefix(scope)}${rest}` });
  const machines = at('stateMachine', '*');
  const runs = [at('execution', '*:*'), at('express', '*:*:*')];
  for (const arn of [machines, ...runs])
    acknowledge(scope, {
      [`AwsSolutions-IAM5[Resource::${arnAsWritten(scope, arn)}]`]:
        'machines are made when plans first run; all are named so',
    });
  return [
    new PolicyStatement({
      actions: [
        'states:CreateStateMachine',
        'states:DeleteStateMachine',
        'states:DescribeStateMachine',
        'states:ListExecutions',
        'states:StartExecution',
        'states:StartSyncExecution',
        'states:TagResource',
        'states:SendTaskSuccess',
        'states:SendTaskFailure',
      ],
      resources: [machines],
    }),
    new PolicyStatement({ actions: ['states:DescribeExecution', 'states:StopExecution'], resources: runs }),
    new PolicyStatement({
      actions: ['iam:PassRole'],
      resources: [roleArn],
      conditions: { StringEquals: { 'iam:PassedToService': 'states.amazonaws.com' } },
    }),
  ];
};
