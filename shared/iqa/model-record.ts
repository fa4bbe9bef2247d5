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

/** What the store knows of a tool's model: its files, its inputs, and what it gave for the sample picture. */
const ModelRecord = z.object({
  tool: z.string(),
  sha256: z.string(),
  files: z.array(ModelFile).min(1),
  inputs: z.array(Value),
  outputs: z.array(Value),
  preprocessing: Preprocessing,
  sample_score: z.number(),
  /** Scores of the exporting program that the model was compared with, if it came with any. */
  compared_with: z.array(z.object({ width: z.int(), height: z.int(), score: z.number() })).optional(),
  added_at: z.iso.datetime(),
});
export type ModelRecord = Readonly<z.infer<typeof ModelRecord>>;

export const ModelRecordFile = stored<ModelRecord>({
  what: 'model record',
  schema: ModelRecord,
  cure: 'add the model again',
});
