import { CfnResource } from 'aws-cdk-lib';
import type { Construct } from 'constructs';

/** Gives a resource that holds data a name in the template that no move of code can change: a new name is a new one. */
export const pinned = <Resource extends Construct>(resource: Resource, logicalId: string): Resource => {
  const { defaultChild } = resource.node;
  if (!CfnResource.isCfnResource(defaultChild)) throw new TypeError(`${resource.node.path} is not one resource`);
  defaultChild.overrideLogicalId(logicalId);
  return resource;
};
