import { hostname } from 'node:os';
import * as z from 'zod';
import { type AwsScoring, awsScoring } from '../../shared/adapters/aws/scoring.ts';
import { spotNotice } from '../../shared/adapters/aws/spot-notice.ts';
import { parseEnvironment, readPlaces, ScoringEnvironment } from '../compose/scoring-environment.ts';

/** The dependencies of the container's Lambda function. */
export const inferenceDeps = (variables = process.env): Promise<AwsScoring> =>
  awsScoring(readPlaces(parseEnvironment(ScoringEnvironment, variables)), variables);

const BatchEnvironment = ScoringEnvironment.extend({
  /** The blob key of the manifest. */
  ASSAY_MANIFEST: z.string().min(1),
  /** The same for every attempt of a job. */
  AWS_BATCH_JOB_ID: z.string().min(1).default(`local-${hostname()}`),
  /** As in the SDK: whether there is a metadata service, and where. */
  AWS_EC2_METADATA_DISABLED: z.stringbool().default(false),
  AWS_EC2_METADATA_SERVICE_ENDPOINT: z.url().optional(),
});

export interface BatchDeps {
  readonly scoring: AwsScoring;
  readonly manifest: string;
  readonly job: string;
  readonly providers: readonly string[];
  /** Returns the notice that the machine will be reclaimed, if any. */
  readonly spotNotice: () => Promise<string | undefined>;
}

/** The dependencies of a Batch job. It runs on CUDA by default. */
export const batchDeps = async (variables = process.env): Promise<BatchDeps> => {
  const environment = parseEnvironment(BatchEnvironment, { ASSAY_PROVIDERS: 'cuda', ...variables });
  const { ASSAY_MANIFEST: manifest, AWS_BATCH_JOB_ID: job, ASSAY_PROVIDERS: providers = [] } = environment;
  const { AWS_EC2_METADATA_DISABLED: isAlone, AWS_EC2_METADATA_SERVICE_ENDPOINT: host } = environment;
  return {
    scoring: await awsScoring(readPlaces(environment), variables),
    manifest,
    job,
    providers,
    spotNotice: isAlone ? async () => undefined : spotNotice(fetch, host),
  };
};
