import {
  BatchGetItemCommand,
  BatchWriteItemCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  ScanCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { Fault } from '../../kernel/errors.ts';
import { clientSettings } from './client-settings.ts';
import type { JsonCall } from './json-service.ts';

/** Calls DynamoDB by the SDK, which finds region and credentials. */
export const tableCalls = (): JsonCall => dynamoCalls(new DynamoDBClient(clientSettings('table')));

/** A table's calls by a client of the SDK. */
export const dynamoCalls = (client: DynamoDBClient): JsonCall => {
  const send: Readonly<Record<string, (input: never) => Promise<unknown>>> = {
    GetItem: (input) => client.send(new GetItemCommand(input)),
    BatchGetItem: (input) => client.send(new BatchGetItemCommand(input)),
    Query: (input) => client.send(new QueryCommand(input)),
    Scan: (input) => client.send(new ScanCommand(input)),
    PutItem: (input) => client.send(new PutItemCommand(input)),
    UpdateItem: (input) => client.send(new UpdateItemCommand(input)),
    TransactWriteItems: (input) => client.send(new TransactWriteItemsCommand(input)),
    BatchWriteItem: (input) => client.send(new BatchWriteItemCommand(input)),
  };
  return (operation, input) => {
    const known = send[operation];
    if (known === undefined) throw new Fault('Internal', `${operation} is not called here`);
    return known(input as never);
  };
};
