import { lazily } from '../../kernel/lazily.ts';
import { type AwsAccess, awsClient, hostOf, type Timing } from './aws-client.ts';
import { isPassing, isThrottled } from './aws-failures.ts';
import { boundsOf } from './client-settings.ts';

/** Calls an operation of a service by its name; an error has the service's name for it. */
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
  /** Overrides the address of the service. */
  readonly endpoint?: string | undefined;
  /** Overrides the timeout of the service. */
  readonly answerMs?: number;
}

/**
 * A service with a JSON protocol, called without the SDK, whose clients are a large part of a function's first response
 * (`npm run bench -- cold`). Retries are those of the SDK; the table's rules tolerate them.
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
  // Synchronous executions have a separate host, and only one that was throttled is started again.
  const syncClient = lazily(() => clientTo('sync-', 'syncRuns', isThrottled));
  return async (operation, input) => {
    const headers = { 'content-type': `application/x-amz-json-${version}`, 'x-amz-target': `${target}.${operation}` };
    const send = operation === 'StartSyncExecution' ? syncClient() : client;
    return send({ headers, body: JSON.stringify(input) });
  };
};
