import { hostname } from 'node:os';
import * as z from 'zod';
import { type AwsScoring, awsScoring } from '../../shared/adapters/aws/scoring.ts';
import { spotNotice } from '../../shared/adapters/aws/spot-notice.ts';
import { parseEnvironment, readPlaces, ScoringEnvironment } from '../compose/scoring-environment.ts';

/** What the Lambda function of the container stands on. */
export const inferenceDeps = (variables = process.env): Promise<AwsScoring> =>
  awsScoring(readPlaces(parseEnvironment(ScoringEnvironment, variables)), variables);

const BatchEnvironment = ScoringEnvironment.extend({
  /** Where the list of pictures lies among the blobs. */
  ASSAY_MANIFEST: z.string().min(1),
  /** The same for every attempt at one job. */
  AWS_BATCH_JOB_ID: z.string().min(1).default(`local-${hostname()}`),
  /** As the SDK has them: whether there is a metadata service, and where. */
  AWS_EC2_METADATA_DISABLED: z.stringbool().default(false),
  AWS_EC2_METADATA_SERVICE_ENDPOINT: z.url().optional(),
});

export interface BatchDeps {
  readonly scoring: AwsScoring;
  readonly manifest: string;
  readonly job: string;
  readonly providers: readonly string[];
  /** Asks whether the machine is to be taken away. */
  readonly spotNotice: () => Promise<string | undefined>;
}

/** What a Batch job stands on. It runs on CUDA unless told otherwise. */
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
