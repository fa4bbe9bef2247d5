import { lazyAsync } from '../../kernel/lazily.ts';
import type { AwsAccess } from './aws-client.ts';
import { type JsonCall, type JsonServiceName, jsonService } from './json-service.ts';

type Variables = Readonly<Record<string, string | undefined>>;

const ENDPOINTS = {
  secrets: 'AWS_ENDPOINT_URL_SECRETS_MANAGER',
  machines: 'AWS_ENDPOINT_URL_SFN',
  table: 'AWS_ENDPOINT_URL_DYNAMODB',
  keys: 'AWS_ENDPOINT_URL_KMS',
} as const satisfies Readonly<Record<JsonServiceName, string>>;

/** Calls a service: with our own signature where the environment has credentials, as on Lambda, otherwise by the SDK. */
export const awsCalls = (service: JsonServiceName, variables: Variables): JsonCall => {
  const access = environmentAccess(variables);
  if (access === undefined) return bySdk(service);
  return jsonService({ service, ...access, endpoint: variables[ENDPOINTS[service]] ?? variables.AWS_ENDPOINT_URL });
};

/** The credentials and region of a function; undefined if the environment has none. */
export const environmentAccess = (variables: Variables): AwsAccess | undefined =>
  variables.AWS_ACCESS_KEY_ID === undefined ? undefined : accessOf(variables);

/** The credentials of the environment, which rotate while a function lives. */
export const accessOf = (variables: Variables): AwsAccess => ({
  region: variables.AWS_REGION ?? '',
  credentials: () => ({
    accessKeyId: variables.AWS_ACCESS_KEY_ID ?? '',
    secretAccessKey: variables.AWS_SECRET_ACCESS_KEY ?? '',
    sessionToken: variables.AWS_SESSION_TOKEN,
  }),
});

const bySdk = (service: JsonServiceName): JsonCall => {
  const load = lazyAsync(async () => (await import('./sdk-calls.ts')).sdkCalls(service));
  return async (operation, input) => (await load())(operation, input);
};
