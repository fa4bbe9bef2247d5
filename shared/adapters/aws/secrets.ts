import type { GetSecretValueCommandOutput } from '@aws-sdk/client-secrets-manager';
import { Fault, messageOf } from '../../kernel/errors.ts';
import type { JsonCall } from './json-service.ts';

/** The labels of a secret's versions: current, previous, and pending during a rotation. */
export type SecretStage = 'AWSCURRENT' | 'AWSPREVIOUS' | 'AWSPENDING';

/** The text of a secret; undefined when it has no version with this label. */
export const readSecret = async (
  call: JsonCall,
  id: string,
  stage: SecretStage = 'AWSCURRENT',
): Promise<string | undefined> => {
  try {
    const found = (await call('GetSecretValue', { SecretId: id, VersionStage: stage })) as GetSecretValueCommandOutput;
    return found.SecretString;
  } catch (thrown) {
    if (thrown instanceof Error && thrown.name === 'ResourceNotFoundException' && stage !== 'AWSCURRENT')
      return undefined;
    throw new Fault('Unavailable', `the secret ${id} cannot be read: ${messageOf(thrown)}`, {}, { cause: thrown });
  }
};
