import * as z from 'zod';

/** How an example came about: a good rating of the decision, or success under two different keys. */
export const EXAMPLE_ORIGINS = ['feedback', 'use'] as const;

/** A request that was rightly served by a tool, kept to recognise the next one like it. */
export const LearnedExample = z.object({
  id: z.string(),
  /** Without what looks like a secret or a person's data. */
  request: z.string(),
  from: z.enum(EXAMPLE_ORIGINS),
  at: z.iso.datetime(),
});
export type LearnedExample = Readonly<z.infer<typeof LearnedExample>>;
