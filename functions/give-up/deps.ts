import { randomBytes } from 'node:crypto';
import { S3Client } from '@aws-sdk/client-s3';
import { awsCalls } from '../../shared/adapters/aws/aws-calls.ts';
import { clientSettings } from '../../shared/adapters/aws/client-settings.ts';
import { dynamoTable } from '../../shared/adapters/aws/dynamo-table.ts';
import { s3Blobs } from '../../shared/adapters/aws/s3-blobs.ts';
import { systemClock } from '../../shared/adapters/system-clock.ts';
import type { GiveUpContext } from '../../shared/uploads/give-up-upload.ts';
import { parseEnvironment, ScoringEnvironment } from '../compose/scoring-environment.ts';

const Environment = ScoringEnvironment.pick({ ASSAY_TABLE: true, ASSAY_IMAGES_BUCKET: true });

/** The stores of uploads and pictures on AWS. */
export const giveUpDeps = (variables = process.env): GiveUpContext => {
  const { ASSAY_TABLE: tableName, ASSAY_IMAGES_BUCKET: bucket } = parseEnvironment(Environment, variables);
  return {
    table: dynamoTable({ call: awsCalls('table', variables), tableName }),
    blobs: s3Blobs({ client: new S3Client(clientSettings('objects')), bucket }),
    clock: systemClock(),
    random: (bytes) => randomBytes(bytes),
  };
};
