import * as z from 'zod';
import { accessOf } from '../../shared/adapters/aws/aws-calls.ts';
import { awsDispatch, type JobPlace, submitPictures } from '../../shared/adapters/aws/dispatch.ts';
import { invokeFunction } from '../../shared/adapters/aws/invoke-function.ts';
import { type AwsScoring, awsScoring } from '../../shared/adapters/aws/scoring.ts';
import { lazyAsync } from '../../shared/kernel/lazily.ts';
import type { ReceiveContext } from '../../shared/uploads/receive-uploads.ts';
import { parseEnvironment, readPlaces, ScoringEnvironment } from '../compose/scoring-environment.ts';
import type { FailedJob } from './failed-job.ts';

const UploadEnvironment = ScoringEnvironment.extend({
  AWS_REGION: z.string().min(1),
  ASSAY_INFERENCE_FUNCTION: z.string().min(1).optional(),
  ASSAY_JOB_QUEUE: z.string().min(1).optional(),
  ASSAY_JOB_DEFINITION: z.string().min(1).optional(),
  ASSAY_CPU_JOB_QUEUE: z.string().min(1).optional(),
  ASSAY_CPU_JOB_DEFINITION: z.string().min(1).optional(),
  AWS_ENDPOINT_URL_LAMBDA: z.url().optional(),
});
type UploadEnvironment = z.infer<typeof UploadEnvironment>;

export interface UploadDeps extends ReceiveContext, AwsScoring {
  readonly scoreWithoutGpu: ((job: FailedJob) => Promise<void>) | undefined;
}

/** The dependencies of the upload function on AWS, with the places to which it may send pictures. */
export const uploadDeps = async (variables = process.env): Promise<UploadDeps> => {
  const environment = parseEnvironment(UploadEnvironment, variables);
  const scoring = await awsScoring(readPlaces(environment), variables);
  const { ASSAY_JOB_QUEUE, ASSAY_JOB_DEFINITION, ASSAY_CPU_JOB_QUEUE, ASSAY_CPU_JOB_DEFINITION } = environment;
  const processors = createJobPlace(ASSAY_CPU_JOB_QUEUE, ASSAY_CPU_JOB_DEFINITION);
  // Loaded with the SDK, which events without a picture do not need.
  const measure = lazyAsync(async () => {
    const { s3PictureSize } = await import('../../shared/adapters/aws/picture-size.ts');
    return s3PictureSize(environment.ASSAY_IMAGES_BUCKET);
  });
  return {
    ...scoring,
    measure: async (key) => (await measure())(key),
    dispatch: awsDispatch({
      blobs: scoring.blobs,
      clock: scoring.clock,
      invoke: createInference(environment, variables),
      batch: createJobPlace(ASSAY_JOB_QUEUE, ASSAY_JOB_DEFINITION),
    }),
    scoreWithoutGpu: processors && (({ job, manifest }) => submitPictures(processors, `assay-cpu-${job}`, manifest)),
  };
};

const createInference = (environment: UploadEnvironment, variables: NodeJS.ProcessEnv) => {
  const { ASSAY_INFERENCE_FUNCTION: functionName, AWS_ENDPOINT_URL_LAMBDA: endpoint } = environment;
  return functionName === undefined ? undefined : invokeFunction({ ...accessOf(variables), functionName, endpoint });
};

const createJobPlace = (queue: string | undefined, definition: string | undefined): JobPlace | undefined =>
  queue === undefined || definition === undefined ? undefined : { queue, definition };
