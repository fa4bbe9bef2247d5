import { lazily } from '../../kernel/lazily.ts';
import { type AwsAccess, awsClient, hostOf, type Timing } from './aws-client.ts';
import { isPassing, isThrottled } from './aws-failures.ts';
import { boundsOf } from './client-settings.ts';

/** Calls an operation of a service by its name; what the service refuses is an error with the service's own name for it. */
export type JsonCall = (operation: string, input: object) => Promise<unknown>;

const SERVICES = {
  secrets: { name: 'secretsmanager', target: 'secretsmanager', version: '1.1' },
  machines: { name: 'states', target: 'AWSStepFunctions', version: '1.0' },
  table: { name: 'dynamodb', target: 'DynamoDB_20120810', version: '1.0' },
  keys: { name: 'kms', target: 'TrentService', version: '1.1' },
} as const;

export type JsonServiceName = keyof typeof SERVICES;

interface Options extends AwsAccess, Timing {
  readonly service: JsonServiceName;
  /** Instead of the service's own address. */
  readonly endpoint?: string | undefined;
  /** Instead of the service's own time limit. */
  readonly answerMs?: number;
}

/**
 * A service that speaks JSON, called without the SDK, whose clients are a large part of a function's first answer
 * (`npm run bench -- cold`). What is sent again is what the SDK sends again; the table's rules allow for it.
 */
export const jsonService = (options: Options): JsonCall => {
  const { service, endpoint, region, answerMs } = options;
  const { name, target, version } = SERVICES[service];
  const clientTo = (prefix: string, of: typeof service | 'syncRuns', mayRepeat: (thrown: Error) => boolean) => {
    const bounds = boundsOf(of);
    const url = new URL(endpoint ?? `https://${prefix}${name}.${hostOf(region)}`);
    return awsClient({
      ...options,
      service: name,
      url,
      mayRepeat,
      read: (text): unknown => (text === '' ? {} : JSON.parse(text)),
      bounds: { ...bounds, answerMs: answerMs ?? bounds.answerMs },
    });
  };
  const client = clientTo('', service, isPassing);
  // Runs that are waited for have a host of their own, and only one that never began is started again.
  const syncClient = lazily(() => clientTo('sync-', 'syncRuns', isThrottled));
  return async (operation, input) => {
    const headers = { 'content-type': `application/x-amz-json-${version}`, 'x-amz-target': `${target}.${operation}` };
    const send = operation === 'StartSyncExecution' ? syncClient() : client;
    return send({ headers, body: JSON.stringify(input) });
  };
};
