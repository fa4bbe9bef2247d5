import * as z from 'zod';
import { Fault } from '../../shared/kernel/errors.ts';
import { issuersText } from '../compose/issuers-text.ts';

// Shared, as each of them costs a start some time.
const Text = z.string().min(1);
const OptionalText = Text.optional();
const Address = z.url().optional();
/** Read once: a parser compiled for it would cost more than it saves. */
const ONCE = { jitless: true } as const;

/** What the stack sets for the functions on AWS. Secrets are named here, never held. */
const AwsEnvironment = z.object({
  ASSAY_TABLE: Text,
  ASSAY_IMAGES_BUCKET: Text,
  ASSAY_MODELS_BUCKET: Text,
  ASSAY_SNAPSHOTS_BUCKET: Text,
  ASSAY_ORIGIN_SECRET: Text,
  ASSAY_ADMIN_SECRET: Text,
  ASSAY_HALLMARK_SECRET: Text,
  /** The function behind the steps of plans, by the name that it knows of itself: machines are told apart by it. */
  ASSAY_STEP_FUNCTION: Text,
  /** What the names of this stage's machines begin with. */
  ASSAY_MACHINE_PREFIX: Text.default('assay-'),
  ASSAY_MACHINE_ROLE: Text,
  ASSAY_MACHINE_LOGS: Text,
  AWS_ENDPOINT_URL_SFN: Address,
  /** How much a tenant's pictures of 30 days may take. */
  ASSAY_STORAGE_MB: z.coerce.number().int().positive().optional(),
  ASSAY_SOURCES: z.enum(['tenants', 'operator', 'off']).optional(),
  ASSAY_EGRESS: z.string().optional(),
  ASSAY_LEARN: z.enum(['on', 'off']).default('on'),
  /** Wraps the keys of the credentials of sources. */
  ASSAY_SECRETS_KEY: OptionalText,
  /** A language model for decisions; the secret holds its key. */
  ASSAY_LLM_URL: Address,
  ASSAY_LLM_MODEL: OptionalText,
  ASSAY_LLM_SECRET: OptionalText,
  /** Who issues access tokens for this service, as JSON. */
  ASSAY_ISSUERS: z.lazy(() => issuersText).optional(),
  /** Where pages live that may speak to MCP, besides the service's own address. */
  ASSAY_ORIGINS: z
    .string()
    .default('')
    .transform((text) => text.split(',').filter((host) => host !== '')),
});
export type AwsEnvironment = z.infer<typeof AwsEnvironment>;

/** Reads the environment by its schema; what is missing is said with its name. */
export const readAwsEnvironment = (variables: Readonly<Record<string, string | undefined>>): AwsEnvironment => {
  const parsed = AwsEnvironment.safeParse(variables, ONCE);
  if (parsed.success) return parsed.data;
  const names = parsed.error.issues.map(({ path, message }) => `${path.join('.')} (${message})`);
  throw new Fault('Unavailable', `the environment does not say where the data lies: ${names.join(', ')}`);
};
