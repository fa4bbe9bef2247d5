import * as z from 'zod';
import { ToolName } from './tool.ts';

/** A user's rating of a tool, from 1 to 5; of one call when it is named. */
export const Feedback = z.strictObject({
  tool: ToolName,
  version: z.string().max(256).optional(),
  rating: z.int().min(1).max(5),
  call_id: z.string().max(64).optional(),
  /** The decision that chose the tool: with a rating of 4 or 5 its request becomes an example of the tool. */
  decision_id: z.string().max(64).optional(),
});
export type Feedback = Readonly<z.infer<typeof Feedback>>;
