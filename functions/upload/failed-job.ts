import * as z from 'zod';
import { MANIFEST_VARIABLE } from '../../shared/adapters/aws/dispatch.ts';

/** The fields used of EventBridge's event about a Batch job. */
const JobFailed = z.looseObject({
  'detail-type': z.literal('Batch Job State Change'),
  detail: z.looseObject({
    jobId: z.string(),
    status: z.literal('FAILED'),
    statusReason: z.string().optional(),
    container: z.looseObject({ environment: z.array(z.looseObject({ name: z.string(), value: z.string() })) }),
  }),
});

export interface FailedJob {
  readonly job: string;
  readonly reason: string;
  /** The manifest that lists its pictures. */
  readonly manifest: string;
}

/** The job that an event reports as failed; undefined for any other event. */
export const readFailedJob = (event: unknown): FailedJob | undefined => {
  const parsed = JobFailed.safeParse(event);
  if (!parsed.success) return undefined;
  const { jobId: job, statusReason: reason = 'unknown', container } = parsed.data.detail;
  const manifest = container.environment.find(({ name }) => name === MANIFEST_VARIABLE)?.value;
  return manifest === undefined ? undefined : { job, reason, manifest };
};
