import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { RemovalPolicy } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import type { NodeFunction } from './node-function.ts';
import { pinned } from './pinned.ts';

/** The key that wraps the keys of stored secrets. Without it they could never be opened again, so it stays. */
export const secretsKey = (scope: Construct): Key =>
  pinned(
    new Key(scope, 'SecretsKey', {
      description: 'Wraps the keys of the credentials of sources',
      enableKeyRotation: true,
      removalPolicy: RemovalPolicy.RETAIN,
    }),
    'SecretsKey',
  );

/** Lets a function seal and open secrets, and nothing else with the key. */
export const sealsSecrets = (granted: NodeFunction, { keyArn }: Pick<Key, 'keyArn'>): NodeFunction =>
  granted.may(
    'ASSAY_SECRETS_KEY',
    keyArn,
    new PolicyStatement({ actions: ['kms:GenerateDataKey', 'kms:Decrypt'], resources: [keyArn] }),
  );
