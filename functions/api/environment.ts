import * as z from 'zod';
import { Fault } from '../../shared/kernel/errors.ts';
import { issuersText } from '../compose/issuers-text.ts';

// Shared, because creating each schema takes time at startup.
const Text = z.string().min(1);
const OptionalText = Text.optional();
const Address = z.url().optional();
/** The environment is read once, so compiling a parser would cost more than it saves. */
const ONCE = { jitless: true } as const;

/** The variables that the stack sets for functions on AWS. They name secrets, but do not contain them. */
const AwsEnvironment = z.object({
  ASSAY_TABLE: Text,
  ASSAY_IMAGES_BUCKET: Text,
  ASSAY_MODELS_BUCKET: Text,
  ASSAY_SNAPSHOTS_BUCKET: Text,
  ASSAY_ORIGIN_SECRET: Text,
  ASSAY_ADMIN_SECRET: Text,
  ASSAY_HALLMARK_SECRET: Text,
  /** The step function's own name, which identifies state machines. */
  ASSAY_STEP_FUNCTION: Text,
  /** The name prefix of this stage's state machines. */
  ASSAY_MACHINE_PREFIX: Text.default('assay-'),
  ASSAY_MACHINE_ROLE: Text,
  ASSAY_MACHINE_LOGS: Text,
  AWS_ENDPOINT_URL_SFN: Address,
  /** How many megabytes a tenant's pictures of 30 days may take. */
  ASSAY_STORAGE_MB: z.coerce.number().int().positive().optional(),
  /** How many megabytes the definitions of a tenant's tools may take. */
  ASSAY_TOOLS_MB: z.coerce.number().int().positive().optional(),
  ASSAY_SOURCES: z.enum(['tenants', 'operator', 'off']).optional(),
  ASSAY_EGRESS: z.string().optional(),
  ASSAY_LEARN: z.enum(['on', 'off']).default('on'),
  /** The KMS key that wraps the keys of sources' credentials. */
  ASSAY_SECRETS_KEY: OptionalText,
  /** A language model for decisions; the secret holds its API key. */
  ASSAY_LLM_URL: Address,
  ASSAY_LLM_MODEL: OptionalText,
  ASSAY_LLM_SECRET: OptionalText,
  /** The issuers of access tokens for this service, as JSON. */
  ASSAY_ISSUERS: z.lazy(() => issuersText).optional(),
  /** The hosts of pages that may call MCP, besides the service's own. */
  ASSAY_ORIGINS: z
    .string()
    .default('')
    .transform((text) => text.split(',').filter((host) => host !== '')),
});
export type AwsEnvironment = z.infer<typeof AwsEnvironment>;

/** Validates the environment; the error names missing variables. */
export const readAwsEnvironment = (variables: Readonly<Record<string, string | undefined>>): AwsEnvironment => {
  const parsed = AwsEnvironment.safeParse(variables, ONCE);
  if (parsed.success) return parsed.data;
  const names = parsed.error.issues.map(({ path, message }) => `${path.join('.')} (${message})`);
  throw new Fault('Unavailable', `environment variables are missing or not valid: ${names.join(', ')}`);
};
