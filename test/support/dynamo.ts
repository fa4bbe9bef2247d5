import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { DynamoDBClient, type DynamoDBClientConfig, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { createTable } from '../../shared/adapters/aws/create-table.ts';

export interface LocalDynamo {
  readonly client: DynamoDBClient;
  readonly endpoint: string;
  readonly tableName: string;
  stop(): Promise<void>;
}

/** Why there is no DynamoDB-compatible server here; undefined when there is one. In CI its absence is a failure. */
export function whyNoDynamo(): string | undefined {
  if (binary() !== undefined) return undefined;
  const why = `the DynamoDB-compatible server @dynoxide/linux-x64 is not for ${process.platform} ${process.arch}`;
  if (process.env.CI === 'true') throw new Error(`${why}, and CI must test the DynamoDB adapter`);
  return why;
}

/** Starts a server in memory on a free loopback port and makes the table. */
export async function startDynamo(): Promise<LocalDynamo> {
  const port = await freePort();
  const server = spawn(binary() ?? '', ['--port', `${port}`], { stdio: 'ignore' });
  // Tests that are killed or fail early must not leave the server behind.
  const kill = () => server.kill('SIGKILL');
  process.once('exit', kill);
  const endpoint = `http://127.0.0.1:${port}`;
  const client = localClient(endpoint);
  const tableName = `assay-${randomUUID()}`;
  const stop = async (): Promise<void> => {
    client.destroy();
    process.off('exit', kill);
    if (server.exitCode === null && server.signalCode === null) {
      kill();
      await once(server, 'exit');
    }
  };
  try {
    await untilReady(server, client);
    await createTable(client, tableName);
  } catch (thrown) {
    await stop();
    throw thrown;
  }
  return { client, endpoint, tableName, stop };
}

/** A client for a server on this machine. */
export const localClient = (endpoint: string, config: DynamoDBClientConfig = {}): DynamoDBClient =>
  new DynamoDBClient({
    endpoint,
    region: 'eu-central-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
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

async function untilReady(server: ChildProcess, client: DynamoDBClient): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt++) {
    if (server.exitCode !== null) throw new Error(`the DynamoDB-compatible server ended with ${server.exitCode}`);
    try {
      await client.send(new ListTablesCommand({}));
      return;
    } catch {
      await setTimeout(25);
    }
  }
  throw new Error('the DynamoDB-compatible server did not answer');
}
