import * as z from 'zod';
import { IqaBlock } from '../model/iqa.ts';
import { Version } from '../model/tool.ts';
import { Preprocessing } from './preprocess.ts';

/** An IQA-PyTorch identifier or another spelling of one, such as `clipiqa+_vitL14_512` or `TOPIQ_FR`. */
export const IqaName = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_.+-]{0,63}$/, 'must match ^[A-Za-z_][A-Za-z0-9_.+-]{0,63}$');

/** Where the strengths come from: the seed data, measurements on distorted pictures, or the authors' publication. */
const Evidence = z.enum(['seed', 'measured', 'published']);

/** One image-quality tool. Only `type` and `strengths` are required. */
export const IqaEntry = IqaBlock.extend({
  title: z.string().min(1).optional().describe('what the metric is called'),
  description: z.string().min(1).optional().describe('what it measures, for people and models that choose a tool'),
  aliases: z.array(IqaName).optional().describe('other spellings; case never matters'),
  version: Version.optional(),
  lower_better: z.boolean().optional().describe('whether a lower raw score means better quality'),
  graph: z.string().optional().describe('the shipped computation; without one the tool needs a model file'),
  preprocessing: Preprocessing.optional().describe('how a picture enters the model file'),
  minimum_side: z.int().positive().optional().describe('the shortest side in pixels that can be scored'),
  tolerance: z.number().positive().optional().describe('largest difference from the reference values'),
  identical: z.number().optional().describe('the raw score of a picture that equals its reference'),
  blind_to: z
    .array(z.string())
    .optional()
    .describe('kinds of distortion that a no-reference tool does not order as people do'),
  price_micros: z.int().nonnegative().optional().describe('price of a score in micro-dollars'),
  measures: z.enum(['quality', 'aesthetics', 'faces', 'underwater', 'information']).optional(),
  evidence: Evidence.optional().describe('where the strengths come from'),
  benchmark: z
    .strictObject({ dataset: z.string(), srcc: z.number().min(-1).max(1), source: z.string() })
    .optional()
    .describe('published rank correlation with human opinion'),
});
export type IqaEntry = Readonly<z.infer<typeof IqaEntry>>;

/** The metadata file: tool names to tools. */
export const IqaMetadata = z.record(IqaName, IqaEntry).meta({
  title: 'Image-quality tools',
  description: 'Tool metadata in the format of metadata/tools.json: IQA-PyTorch identifiers to what each tool is.',
});
