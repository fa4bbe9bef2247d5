import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { Fault } from '../../kernel/errors.ts';
import { clientSettings } from './client-settings.ts';
import { tableCalls } from './dynamo-calls.ts';
import type { JsonCall, JsonServiceName } from './json-service.ts';

/** Calls a service by the SDK, which also finds credentials in files, containers and instances. */
export const sdkCalls = (service: JsonServiceName): JsonCall => {
  if (service === 'table') return tableCalls();
  if (service !== 'secrets') throw new Fault('Internal', `${service} are not called here`);
  const client = new SecretsManagerClient(clientSettings('secrets'));
  return (_, input) => client.send(new GetSecretValueCommand(input as { SecretId: string }));
};
