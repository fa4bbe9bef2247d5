import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { createTable } from '../../shared/adapters/aws/create-table.ts';
import { type JsonCall, jsonService } from '../../shared/adapters/aws/json-service.ts';
import { localCredentials, localRegion } from './s3.ts';

export interface LocalDynamo {
  readonly client: DynamoDBClient;
  readonly call: JsonCall;
  readonly endpoint: string;
  readonly tableName: string;
  /** The CPU time that the server has used. */
  processorMs(): number;
  stop(): Promise<void>;
}

/** Another server to test against, such as Amazon's DynamoDB Local: `ASSAY_TEST_DYNAMO=http://127.0.0.1:8000`. */
const OTHER_SERVER = process.env.ASSAY_TEST_DYNAMO;

/** Why no DynamoDB-compatible server is available; undefined if one is. In CI a missing server is a failure. */
export function whyNoDynamo(): string | undefined {
  if (OTHER_SERVER !== undefined || binary() !== undefined) return undefined;
  const why = `@dynoxide/linux-x64, the DynamoDB-compatible server, is not installed on ${process.platform} ${process.arch}`;
  if (process.env.CI === 'true') throw new Error(`${why}; CI must test the DynamoDB adapter`);
  return why;
}

/** Starts an in-memory server on a free loopback port and creates the table. */
export async function startDynamo(): Promise<LocalDynamo> {
  const {
    endpoint,
    processorMs,
    stop: stopServer,
  } = OTHER_SERVER === undefined ? await startServer(binary() ?? '', await freePort()) : runningServer(OTHER_SERVER);
  const client = localClient(endpoint);
  const tableName = `assay-${randomUUID()}`;
  const stop = async (): Promise<void> => {
    client.destroy();
    await stopServer();
  };
  try {
    await createTable(client, tableName);
    return { client, call: localCalls(endpoint), endpoint, tableName, processorMs, stop };
  } catch (thrown) {
    await stop();
    throw thrown;
  }
}

const runningServer = (endpoint: string) => ({ endpoint, processorMs: () => 0, stop: async () => {} });

// The shell kills the server when its own input ends, which also happens when this process is killed.
const guarded = '"$0" --port "$1" & server=$!; read -r _; kill -9 $server';

async function startServer(
  path: string,
  port: number,
): Promise<Pick<LocalDynamo, 'endpoint' | 'processorMs' | 'stop'>> {
  const shell = spawn('sh', ['-c', guarded, path, `${port}`], { stdio: ['pipe', 'pipe', 'pipe'] });
  const stop = async (): Promise<void> => {
    const ended = once(shell, 'exit');
    shell.stdin.end();
    await ended;
  };
  const [said] = await Promise.race([once(shell.stdout, 'data'), once(shell.stderr, 'data')]);
  for (const output of [shell.stdout, shell.stderr]) output.resume();
  if (String(said).includes('listening')) {
    const processorMs = (): number => processorMsOfChild(shell.pid);
    return { endpoint: `http://127.0.0.1:${port}`, processorMs, stop };
  }
  await stop();
  throw new Error(`the DynamoDB-compatible server did not start: ${said}`);
}

/** The CPU time of the only child of a process, user and kernel; Linux counts in hundredths of a second. */
const processorMsOfChild = (parent: number | undefined): number => {
  const child = readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8').trim();
  const fields = readFileSync(`/proc/${child}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
};

/** Makes calls to a local server, as the functions do. */
export const localCalls = (endpoint: string, limits: { readonly answerMs?: number } = {}): JsonCall =>
  jsonService({ service: 'table', endpoint, region: localRegion, credentials: () => localCredentials, ...limits });

/** An SDK client for a local server. */
export const localClient = (endpoint: string, config: DynamoDBClientConfig = {}): DynamoDBClient =>
  new DynamoDBClient({
    endpoint,
    region: localRegion,
    credentials: localCredentials,
    ...config,
  });

function binary(): string | undefined {
  try {
    return fileURLToPath(import.meta.resolve('@dynoxide/linux-x64/dynoxide'));
  } catch {
    return undefined;
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port was given');
  return address.port;
}
