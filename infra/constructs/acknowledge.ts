import { Stack, Validations } from 'aws-cdk-lib';
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

/** How cdk-nag writes an ARN: pseudo parameters in angle brackets. */
export const arnAsWritten = (scope: Construct, arn: string): string => {
  const resolved = Stack.of(scope).resolve(arn) as string | { 'Fn::Join': [string, (string | { Ref: string })[]] };
  if (typeof resolved === 'string') return resolved;
  const [separator, parts] = resolved['Fn::Join'];
  return parts.map((part) => (typeof part === 'string' ? part : `<${part.Ref}>`)).join(separator);
};
