import * as z from 'zod';
import { distortions, iqaTypes } from './distortions.ts';

export const Distortion = z.enum(distortions);
export type Distortion = z.infer<typeof Distortion>;

export const IqaType = z.enum(iqaTypes);
export type IqaType = z.infer<typeof IqaType>;

/** f(x) = (beta1 - beta2) / (1 + exp(-(x - beta3) / |beta4|)) + beta2 */
export const LogisticParams = z.strictObject({
  beta1: z.number(),
  beta2: z.number(),
  beta3: z.number(),
  // It is a divisor; its sign does not matter.
  beta4: z.number().refine((beta) => beta !== 0, 'must not be 0'),
});
export type LogisticParams = z.infer<typeof LogisticParams>;

/** What makes a tool an image-quality tool. */
export const IqaBlock = z.strictObject({
  type: IqaType,
  strengths: z.array(Distortion),
  logistic_params: LogisticParams.optional(),
  lower_better: z.boolean().optional(),
  range: z.tuple([z.number().nullable(), z.number().nullable()]).optional(),
  graph: z.string().optional(),
  preprocessing: z.record(z.string(), z.unknown()).optional(),
  tolerance: z.number().positive().optional(),
});
export type IqaBlock = z.infer<typeof IqaBlock>;
