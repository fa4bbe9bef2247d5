import {
  GetSecretValueCommand,
  ResourceNotFoundException,
  type SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { Fault, messageOf } from '../../kernel/errors.ts';

/** The labels of a secret's versions: the one in use, the one before, and the one a rotation is bringing in. */
export type SecretStage = 'AWSCURRENT' | 'AWSPREVIOUS' | 'AWSPENDING';

/** The text of a secret; undefined when it has no version with this label. */
export const readSecret = async (
  client: SecretsManagerClient,
  id: string,
  stage: SecretStage = 'AWSCURRENT',
): Promise<string | undefined> => {
  try {
    const { SecretString } = await client.send(new GetSecretValueCommand({ SecretId: id, VersionStage: stage }));
    return SecretString;
  } catch (thrown) {
    if (thrown instanceof ResourceNotFoundException && stage !== 'AWSCURRENT') return undefined;
    throw new Fault('Unavailable', `the secret ${id} cannot be read: ${messageOf(thrown)}`, {}, { cause: thrown });
  }
};
