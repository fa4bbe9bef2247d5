import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import * as z from 'zod';
import { awsCalls } from '../../shared/adapters/aws/aws-calls.ts';
import { bucketBlobs } from '../../shared/adapters/aws/bucket.ts';
import { clientSettings } from '../../shared/adapters/aws/client-settings.ts';
import { dynamoTable } from '../../shared/adapters/aws/dynamo-table.ts';
import { eventBridgeSink } from '../../shared/adapters/aws/event-bridge.ts';
import { lineLog } from '../../shared/adapters/aws/line-log.ts';
import { systemClock } from '../../shared/adapters/system-clock.ts';
import { callFolds } from '../../shared/execute/billing/usage.ts';
import { createBlockedTools } from '../../shared/insight/blocked-tools.ts';
import type { Table } from '../../shared/kernel/ports.ts';
import { publishAsOf, publishChanges } from '../../shared/registry/publish.ts';
import type { StreamDeps } from './handle.ts';

const Environment = z.object({
  ASSAY_TABLE: z.string().min(1),
  ASSAY_SNAPSHOTS_BUCKET: z.string().min(1).optional(),
  ASSAY_EVENT_BUS: z.string().min(1).optional(),
});
type Variables = Readonly<Record<string, string | undefined>>;

const openTable = (tableName: string, variables: Variables): Table =>
  dynamoTable({ call: awsCalls('table', variables), tableName, gathersReads: true });

/** The dependencies for folding calls into totals. */
export const foldDeps = (variables: Variables = process.env): StreamDeps => {
  const { ASSAY_TABLE } = Environment.parse(variables);
  const [table, clock] = [openTable(ASSAY_TABLE, variables), systemClock()];
  const log = lineLog((text) => void process.stdout.write(text));
  return { fold: { table, clock, folds: callFolds, blocked: createBlockedTools(table, clock), log } };
};

/**
 * The dependencies for publishing changes to the edge and the event bus, in a function of its own, so that they never
 * wait for totals.
 */
export const publishDeps = (variables: Variables = process.env): StreamDeps => {
  const { ASSAY_TABLE, ASSAY_EVENT_BUS: bus, ASSAY_SNAPSHOTS_BUCKET: bucket } = Environment.parse(variables);
  const table = openTable(ASSAY_TABLE, variables);
  const blobs = bucket === undefined ? undefined : bucketBlobs({ bucket, variables });
  return {
    deliver: bus === undefined ? undefined : eventBridgeSink(new EventBridgeClient(clientSettings('events')), bus),
    publish: blobs && ((changed) => publishChanges({ table, blobs }, changed)),
    publishAsOf: blobs && ((at) => publishAsOf(blobs, at)),
  };
};
