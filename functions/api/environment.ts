import * as z from 'zod';
import { Fault } from '../../shared/kernel/errors.ts';
import { issuersText } from '../compose/issuers-text.ts';

/** What the stack sets for the functions on AWS. Secrets are named here, never held. */
const AwsEnvironment = z.object({
  ASSAY_TABLE: z.string().min(1),
  ASSAY_IMAGES_BUCKET: z.string().min(1),
  ASSAY_MODELS_BUCKET: z.string().min(1),
  ASSAY_SNAPSHOTS_BUCKET: z.string().min(1),
  ASSAY_ORIGIN_SECRET: z.string().min(1),
  ASSAY_ADMIN_SECRET: z.string().min(1),
  ASSAY_HALLMARK_SECRET: z.string().min(1),
  /** The function behind the steps of plans, by the name that it knows of itself: machines are told apart by it. */
  ASSAY_STEP_FUNCTION: z.string().min(1),
  /** What the names of this stage's machines begin with. */
  ASSAY_MACHINE_PREFIX: z.string().min(1).default('assay-'),
  ASSAY_MACHINE_ROLE: z.string().min(1),
  ASSAY_MACHINE_LOGS: z.string().min(1),
  AWS_ENDPOINT_URL_SFN: z.url().optional(),
  /** How much a tenant's pictures of 30 days may take. */
  ASSAY_STORAGE_MB: z.coerce.number().int().positive().optional(),
  ASSAY_SOURCES: z.enum(['tenants', 'operator', 'off']).optional(),
  ASSAY_EGRESS: z.string().optional(),
  ASSAY_LEARN: z.enum(['on', 'off']).default('on'),
  /** Wraps the keys of the credentials of sources. */
  ASSAY_SECRETS_KEY: z.string().min(1).optional(),
  /** A language model for decisions; the secret holds its key. */
  ASSAY_LLM_URL: z.url().optional(),
  ASSAY_LLM_MODEL: z.string().min(1).optional(),
  ASSAY_LLM_SECRET: z.string().min(1).optional(),
  /** Who issues access tokens for this service, as JSON. */
  ASSAY_ISSUERS: issuersText.optional(),
  /** Where pages live that may speak to MCP, besides the service's own address. */
  ASSAY_ORIGINS: z
    .string()
    .default('')
    .transform((text) => text.split(',').filter((host) => host !== '')),
});
export type AwsEnvironment = z.infer<typeof AwsEnvironment>;

/** Reads the environment by its schema; what is missing is said with its name. */
export const readAwsEnvironment = (variables: Readonly<Record<string, string | undefined>>): AwsEnvironment => {
  const parsed = AwsEnvironment.safeParse(variables);
  if (parsed.success) return parsed.data;
  const names = parsed.error.issues.map(({ path, message }) => `${path.join('.')} (${message})`);
  throw new Fault('Unavailable', `the environment does not say where the data lies: ${names.join(', ')}`);
};
