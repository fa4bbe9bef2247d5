import * as z from 'zod';

/** What a caller of a priced route may say about its price. */
export const SpendLimits = {
  max_micros: z.int().nonnegative().optional().meta({ description: 'A dearer call is refused before it runs.' }),
  dry_run: z.boolean().optional().meta({
    description:
      'Runs nothing, and answers 200 with {dry_run: true, tool, price_micros, within_max}, and what else is known.',
  }),
};
