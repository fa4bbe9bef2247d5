import * as z from 'zod';

const Channels3 = z.tuple([z.number(), z.number(), z.number()]);

/** How a picture is preprocessed for a learned model: size, crop, value range, mean and deviation, layout. */
export const Preprocessing = z.strictObject({
  /** `shorter` scales the shorter side to `size` and keeps the shape; `exact` makes `size` x `size`. */
  resize: z
    .strictObject({
      size: z.int().positive(),
      fit: z.enum(['shorter', 'exact']).default('shorter'),
      kernel: z.enum(['bilinear', 'bicubic']).default('bilinear'),
      antialias: z.boolean().default(true),
    })
    .optional(),
  /** Centre crop to `size` x `size`, or down to a multiple of `multiple` on both axes. */
  crop: z
    .union([z.strictObject({ size: z.int().positive() }), z.strictObject({ multiple: z.int().positive() })])
    .optional(),
  /** The values of bytes 0 and 255 before mean and deviation. */
  range: z.tuple([z.number(), z.number()]).default([0, 1]),
  mean: Channels3.default([0, 0, 0]),
  std: Channels3.default([1, 1, 1]),
  channels: z.enum(['RGB', 'BGR']).default('RGB'),
  layout: z.enum(['NCHW', 'NHWC']).default('NCHW'),
  /** Input names, picture first, where the model's own order differs. */
  inputs: z.array(z.string()).optional(),
  output: z.string().optional(),
  /** `scalar` reads the only number; `distribution` the mean of ratings 1..n, weighted by the n outputs. */
  reading: z.enum(['scalar', 'distribution']).default('scalar'),
});
export type Preprocessing = z.infer<typeof Preprocessing>;
