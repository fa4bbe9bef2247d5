import { randomBytes } from 'node:crypto';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';
import { awsIqa } from '../../shared/adapters/aws/aws-iqa.ts';
import { callMetrics } from '../../shared/adapters/aws/call-metrics.ts';
import { clientSettings } from '../../shared/adapters/aws/client-settings.ts';
import { dynamoTable } from '../../shared/adapters/aws/dynamo-table.ts';
import { hallmarkKey } from '../../shared/adapters/aws/hallmark-key.ts';
import { lineLog } from '../../shared/adapters/aws/line-log.ts';
import { routedBlobs } from '../../shared/adapters/aws/routed-blobs.ts';
import { s3Blobs } from '../../shared/adapters/aws/s3-blobs.ts';
import { s3SignPut } from '../../shared/adapters/aws/s3-sign-put.ts';
import { nodeGauge } from '../../shared/adapters/node/gauge.ts';
import { systemClock } from '../../shared/adapters/system-clock.ts';
import { systemTimers } from '../../shared/adapters/system-timers.ts';
import type { AssayPorts } from '../../shared/assay.ts';
import { storeBytes } from '../../shared/uploads/storage.ts';
import { MAX_PICTURE_BYTES } from '../../shared/uploads/upload.ts';
import { builtinTools } from './builtin-tools.ts';
import { bundledTools } from './bundled-tools.ts';
import { shippedHandlers, shippedPrices, shippedTools } from './shipped-tools.ts';

interface Places {
  readonly ASSAY_TABLE: string;
  readonly ASSAY_IMAGES_BUCKET: string;
  readonly ASSAY_MODELS_BUCKET: string;
  readonly ASSAY_STORAGE_MB?: number | undefined;
}

export type AwsPorts = AssayPorts & Required<Pick<AssayPorts, 'blobs' | 'iqa'>>;

/** What every function that runs tools stands on; the SDK finds region and credentials by itself. */
export const awsPorts = (environment: Places, hallmark: string): AwsPorts => {
  const s3 = new S3Client(clientSettings('objects'));
  const blobsIn = (bucket: string, maxBytes = Number.POSITIVE_INFINITY) => s3Blobs({ client: s3, bucket, maxBytes });
  const table = dynamoTable({
    client: new DynamoDBClient(clientSettings('table')),
    tableName: environment.ASSAY_TABLE,
  });
  const blobs = routedBlobs(blobsIn(environment.ASSAY_IMAGES_BUCKET, MAX_PICTURE_BYTES), {
    'models/': blobsIn(environment.ASSAY_MODELS_BUCKET),
  });
  const clock = systemClock();
  const log = lineLog((text) => void process.stdout.write(text));
  const gauge = nodeGauge();
  const storageBytes = (environment.ASSAY_STORAGE_MB ?? 20_480) * 2 ** 20;
  const admitBytes = (tenant: string, bytes: number) => storeBytes({ table, clock, storageBytes }, tenant, bytes);
  const iqa = awsIqa({ table, blobs, clock, log, admitBytes, signingKey: hallmarkKey(hallmark) });
  // A function's own files are gone with it, so there are no tools for files.
  const shipped = { iqa, builtin: builtinTools({ gauge, readImage: iqa.readImage }) };
  const names = new Set<string>();
  const metrics = new Metrics({ namespace: 'Assay', serviceName: 'execute' });
  return {
    table,
    blobs,
    clock,
    timers: systemTimers,
    log,
    gauge,
    iqa,
    random: (bytes) => randomBytes(bytes),
    async discover() {
      const ours = await shippedTools(shipped);
      for (const definition of 'definitions' in ours ? ours.definitions : [])
        names.add((definition as { readonly name: string }).name);
      return [ours, ...(await bundledTools())];
    },
    handlers: shippedHandlers(shipped),
    prices: shippedPrices(),
    storageBytes,
    signPut: s3SignPut({ bucket: environment.ASSAY_IMAGES_BUCKET, now: clock.now }),
    freshMs: 1000,
    recording: { delayMs: 0, observe: callMetrics({ metrics, log, isShipped: (tool) => names.has(tool) }) },
  };
};
