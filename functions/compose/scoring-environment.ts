import * as z from 'zod';
import { Fault } from '../../shared/kernel/errors.ts';

const names = z
  .string()
  .transform((text) => text.split(',').filter((name) => name !== ''))
  .optional();

/** The variables that the stack sets for everything that scores uploads. */
export const ScoringEnvironment = z.object({
  ASSAY_TABLE: z.string().min(1),
  ASSAY_IMAGES_BUCKET: z.string().min(1),
  ASSAY_MODELS_BUCKET: z.string().min(1),
  /** The secret from which the signing key of scores is derived. */
  ASSAY_HALLMARK_SECRET: z.string().min(1).optional(),
  /** ONNX Runtime's execution providers. The CPU is a fallback only if `cpu` is among them. */
  ASSAY_PROVIDERS: names,
});

/** Parses variables by a schema; the error names missing ones. */
export const parseEnvironment = <T>(schema: z.ZodType<T>, variables: NodeJS.ProcessEnv): T => {
  const parsed = schema.safeParse(variables);
  if (parsed.success) return parsed.data;
  const wrong = parsed.error.issues.map(({ path, message }) => `${path.join('.')} (${message})`);
  throw new Fault('Unavailable', `environment variables are missing or not valid: ${wrong.join(', ')}`);
};

/** The resources that scoring needs, from the environment. */
export const readPlaces = (environment: z.infer<typeof ScoringEnvironment>) => ({
  table: environment.ASSAY_TABLE,
  images: environment.ASSAY_IMAGES_BUCKET,
  models: environment.ASSAY_MODELS_BUCKET,
  hallmarkSecret: environment.ASSAY_HALLMARK_SECRET,
  providers: environment.ASSAY_PROVIDERS,
});
