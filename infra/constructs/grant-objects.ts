import { Stack } from 'aws-cdk-lib';
import { type IGrantable, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import { acknowledge, importedName } from './acknowledge.ts';

/** Lets a function or a job read, or also write, the objects of a bucket of another stack; by name, without wildcards. */
export const grantObjects = (grantee: IGrantable & Construct, bucket: IBucket, mode: 'read' | 'write'): void => {
  const policy = grantee.grantPrincipal;
  const objects = mode === 'read' ? ['s3:GetObject'] : ['s3:GetObject', 's3:PutObject', 's3:DeleteObject'];
  policy.addToPrincipalPolicy(new PolicyStatement({ actions: objects, resources: [bucket.arnForObjects('*')] }));
  policy.addToPrincipalPolicy(new PolicyStatement({ actions: ['s3:ListBucket'], resources: [bucket.bucketArn] }));
  const name = importedName(bucket.bucketArn, Stack.of(bucket));
  acknowledge(grantee.node.scope as Construct, {
    [`AwsSolutions-IAM5[Resource::${name}/*]`]: 'any object of this one bucket',
  });
};
