import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { S3Client } from '@aws-sdk/client-s3';
import * as z from 'zod';
import { clientSettings } from '../../shared/adapters/aws/client-settings.ts';
import { dynamoTable } from '../../shared/adapters/aws/dynamo-table.ts';
import { eventBridgeSink } from '../../shared/adapters/aws/event-bridge.ts';
import { s3Blobs } from '../../shared/adapters/aws/s3-blobs.ts';
import { systemClock } from '../../shared/adapters/system-clock.ts';
import { callFolds } from '../../shared/execute/billing/usage.ts';
import { publishChanges } from '../../shared/registry/publish.ts';
import type { StreamDeps } from './handle.ts';

const Environment = z.object({
  ASSAY_TABLE: z.string().min(1),
  ASSAY_SNAPSHOTS_BUCKET: z.string().min(1).optional(),
  ASSAY_EVENT_BUS: z.string().min(1).optional(),
});

/** The stream's function on AWS, as its environment says. */
export const streamDeps = (variables: Readonly<Record<string, string | undefined>> = process.env): StreamDeps => {
  const environment = Environment.parse(variables);
  const table = dynamoTable({
    client: new DynamoDBClient(clientSettings('table')),
    tableName: environment.ASSAY_TABLE,
  });
  const { ASSAY_EVENT_BUS: bus, ASSAY_SNAPSHOTS_BUCKET: bucket } = environment;
  const blobs = bucket === undefined ? undefined : s3Blobs({ client: new S3Client(clientSettings('objects')), bucket });
  return {
    table,
    clock: systemClock(),
    folds: callFolds,
    ...(bus === undefined ? {} : { deliver: eventBridgeSink(new EventBridgeClient(clientSettings('events')), bus) }),
    ...(blobs === undefined ? {} : { publish: (changed) => publishChanges({ table, blobs }, changed) }),
  };
};
