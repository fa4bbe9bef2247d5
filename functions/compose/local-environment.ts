import * as z from 'zod';
import { Fault } from '../../shared/kernel/errors.ts';

/** What the environment may set; anything wrong is said before anything starts. */
const Environment = z.object({
  ASSAY_ADMIN_KEY: z.string().min(16, 'must have 16 characters or more').optional(),
  ASSAY_CONFIG: z.string().min(1).optional(),
  ASSAY_PLUGINS_DIR: z.string().min(1).optional(),
  /** The directory of the file tools; `files` in the data directory unless set. */
  ASSAY_FILES_DIR: z.string().min(1).optional(),
  ASSAY_DATA: z.string().min(1).default('.assay'),
  ASSAY_PROVIDERS: z
    .string()
    .transform((text) => text.split(',').map((word) => word.trim()))
    .optional(),
  ASSAY_LLM_URL: z.url().optional(),
  ASSAY_LLM_KEY: z.string().min(1).optional(),
  ASSAY_LLM_MODEL: z.string().min(1).optional(),
  /** `local`: whoever asks for /metrics on this machine needs no key. */
  ASSAY_METRICS: z.enum(['local', 'off']).optional(),
  ASSAY_URL: z.url().optional(),
  ASSAY_KEY: z.string().min(1).optional(),
});
export type Environment = z.infer<typeof Environment>;

export const readEnvironment = (variables: Readonly<Record<string, string | undefined>>): Environment => {
  const parsed = Environment.safeParse(variables);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new Fault('InvalidInput', `the environment variable ${issue?.path.join('.')} ${issue?.message}`);
};
