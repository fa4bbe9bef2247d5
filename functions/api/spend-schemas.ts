import * as z from 'zod';

/** The parameters by which a caller limits or asks the price of a call. */
export const SpendLimits = {
  max_micros: z
    .int()
    .nonnegative()
    .optional()
    .meta({ description: 'A more expensive call is refused before it runs.' }),
  dry_run: z.boolean().optional().meta({
    description:
      'Runs nothing, and answers 200 with {dry_run: true, tool, price_micros, within_max}, and what else is known.',
  }),
};
