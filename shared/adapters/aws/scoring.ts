import { type KeyObject, randomBytes } from 'node:crypto';
import prices from '../../../metadata/prices.json' with { type: 'json' };
import { parsePrices } from '../../execute/billing/prices.ts';
import { createMeter } from '../../execute/billing/quota.ts';
import { callFolds } from '../../execute/billing/usage.ts';
import { createLayerContext } from '../../execute/layer-context.ts';
import { createRecorder } from '../../execute/recorder.ts';
import { MAX_PICTURE_BYTES } from '../../kernel/limits.ts';
import { tracedBlobs, tracedTable } from '../../kernel/traced-ports.ts';
import type { UploadContext } from '../../uploads/score-upload.ts';
import { nodeGauge } from '../node/gauge.ts';
import { systemClock } from '../system-clock.ts';
import { systemTimers } from '../system-timers.ts';
import { awsCalls } from './aws-calls.ts';
import { awsIqa } from './aws-iqa.ts';
import { bucketBlobs } from './bucket.ts';
import { dynamoTable } from './dynamo-table.ts';
import { hallmarkKey } from './hallmark-key.ts';
import type { JsonCall } from './json-service.ts';
import { lambdaTracing } from './lambda-tracing.ts';
import { lineLog } from './line-log.ts';
import { routedBlobs } from './routed-blobs.ts';
import { readSecret } from './secrets.ts';

export interface ScoringPlaces {
  readonly table: string;
  readonly images: string;
  readonly models: string;
  /** The secret from which the key that signs scores is derived. */
  readonly hallmarkSecret?: string | undefined;
  readonly providers?: readonly string[] | undefined;
}

export interface AwsScoring extends UploadContext {
  /** Ends the worker threads and closes the table. */
  readonly close: () => Promise<void>;
}

/** The dependencies of scoring uploads on AWS, in any function or container: DynamoDB, S3 and the image part. */
export const awsScoring = async (
  places: ScoringPlaces,
  variables: Readonly<Record<string, string | undefined>>,
  write = writeOut,
): Promise<AwsScoring> => {
  const clock = systemClock();
  const log = lineLog(write);
  const dynamo = dynamoTable({ call: awsCalls('table', variables), tableName: places.table });
  const table = tracedTable(dynamo);
  const stored = routedBlobs(bucketBlobs({ bucket: places.images, maxBytes: MAX_PICTURE_BYTES, variables }), {
    'models/': bucketBlobs({ bucket: places.models, variables }),
  });
  const blobs = tracedBlobs(stored);
  const known = parsePrices(prices, 'metadata/prices.json');
  const signingKey = await signingKeyOf(places.hallmarkSecret, awsCalls('secrets', variables));
  const iqa = awsIqa({ table, blobs, clock, log, signingKey, providers: places.providers });
  const layers = createLayerContext({
    table,
    clock,
    timers: systemTimers,
    log,
    random: (bytes) => randomBytes(bytes),
    gauge: nodeGauge(),
    meter: createMeter({ table, clock, log, prices: known }),
    // A function is frozen between events, so pending writes would be late or lost.
    recorder: createRecorder({ table, log, timers: systemTimers, folds: callFolds, delayMs: 0 }),
  });
  return {
    ...layers,
    blobs,
    iqa,
    tracer: await lambdaTracing({ table: dynamo, clock, log }, variables),
    prices: known,
    close: async () => {
      await iqa.engine.close();
      await table.close();
    },
  };
};

const signingKeyOf = async (secret: string | undefined, call: JsonCall): Promise<KeyObject | undefined> => {
  const text = secret === undefined ? undefined : await readSecret(call, secret);
  return text === undefined ? undefined : hallmarkKey(text);
};

const writeOut = (text: string): void => void process.stdout.write(text);
