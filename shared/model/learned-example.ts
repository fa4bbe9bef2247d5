import * as z from 'zod';

/** How an example was learned: a good rating of the decision, or success under two different keys. */
export const EXAMPLE_ORIGINS = ['feedback', 'use'] as const;

/** A request that a tool served well, kept to recognise similar requests. */
export const LearnedExample = z.object({
  id: z.string(),
  /** Secrets and personal data are redacted. */
  request: z.string(),
  from: z.enum(EXAMPLE_ORIGINS),
  at: z.iso.datetime(),
});
export type LearnedExample = Readonly<z.infer<typeof LearnedExample>>;
