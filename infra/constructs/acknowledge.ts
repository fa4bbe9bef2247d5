import { type Stack, Validations } from 'aws-cdk-lib';
import type { Construct } from 'constructs';

/** Accepts findings of cdk-nag on a construct and what is in it, each with its reason. */
export const acknowledge = (scope: Construct, reasons: Readonly<Record<string, string>>): void => {
  for (const [id, reason] of Object.entries(reasons)) Validations.of(scope).acknowledge({ id, reason });
};

/** How cdk-nag writes a value that one stack has from another. */
export const importedName = (value: string, owner: Stack): string => {
  const imported = owner.resolve(owner.exportValue(value)) as { 'Fn::ImportValue': string };
  return imported['Fn::ImportValue'];
};
