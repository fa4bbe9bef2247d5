import { hostname } from 'node:os';
import * as z from 'zod';
import { type AwsScoring, awsScoring } from '../../shared/adapters/aws/scoring.ts';
import { placesOf, readEnvironment, ScoringEnvironment } from '../upload/environment.ts';

/** What the Lambda function of the container stands on. */
export const inferenceDeps = (variables = process.env): Promise<AwsScoring> =>
  awsScoring(placesOf(readEnvironment(ScoringEnvironment, variables)));

const BatchEnvironment = ScoringEnvironment.extend({
  /** Where the list of pictures lies among the blobs. */
  ASSAY_MANIFEST: z.string().min(1),
  /** The same for every attempt at one job. */
  AWS_BATCH_JOB_ID: z.string().min(1).default(`local-${hostname()}`),
});

export interface BatchDeps {
  readonly scoring: AwsScoring;
  readonly manifest: string;
  readonly job: string;
  readonly providers: readonly string[];
}

/** What a Batch job stands on. It runs on CUDA unless told otherwise. */
export const batchDeps = async (variables = process.env): Promise<BatchDeps> => {
  const environment = readEnvironment(BatchEnvironment, { ASSAY_PROVIDERS: 'cuda', ...variables });
  const { ASSAY_MANIFEST: manifest, AWS_BATCH_JOB_ID: job, ASSAY_PROVIDERS: providers = [] } = environment;
  return { scoring: await awsScoring(placesOf(environment)), manifest, job, providers };
};
