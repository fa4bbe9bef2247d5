import * as z from 'zod';
import { stored } from '../kernel/stored.ts';
import { Preprocessing } from './preprocess.ts';

const ModelFile = z.strictObject({
  name: z.string().min(1),
  bytes: z.int().nonnegative(),
  sha256: z.string(),
});
export type ModelFile = Readonly<z.infer<typeof ModelFile>>;

const Value = z.strictObject({
  name: z.string(),
  type: z.string(),
  shape: z.array(z.union([z.number(), z.string(), z.null()])).readonly(),
});

/** The stored record of a tool's model: its files, inputs and outputs, and its score of the sample picture. */
const ModelRecord = z.object({
  tool: z.string(),
  sha256: z.string(),
  files: z.array(ModelFile).min(1),
  inputs: z.array(Value),
  outputs: z.array(Value),
  preprocessing: Preprocessing,
  sample_score: z.number(),
  /** The scores of the exporting program, if it wrote any, that the model was compared with. */
  compared_with: z.array(z.object({ width: z.int(), height: z.int(), score: z.number() })).optional(),
  added_at: z.iso.datetime(),
});
export type ModelRecord = Readonly<z.infer<typeof ModelRecord>>;

export const ModelRecordFile = stored<ModelRecord>({
  what: 'model record',
  schema: ModelRecord,
  cure: 'add the model again',
});
