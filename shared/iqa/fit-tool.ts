import * as z from 'zod';
import { lazily } from '../kernel/lazily.ts';
import type { Handler } from '../kernel/ports.ts';
import { invalidInput } from '../kernel/zod-fault.ts';
import type { ToolDefinition } from '../model/tool.ts';
import { DEFAULT_EFFORT, FIT_FORMATS, type FitDeps, fitImage } from './fit.ts';
import { type ReadImage, readImageSource } from './image-source.ts';
import { IMAGE_PARAMETER } from './to-definitions.ts';

/** The registry's definition of `image_fit`. */
export const FIT_DEFINITION: ToolDefinition = {
  name: 'image_fit',
  description:
    'Compresses a picture as far as its quality allows, to a file as small as possible: finds the smallest JPEG, WebP or AVIF whose score by a full-reference metric still meets a target, such as ssimulacra2 80 or ssim 0.97, and reports the curve of sizes and scores.',
  type: 'function',
  handler: 'image_fit',
  implementation: { type: 'internal', handler: 'image_fit' },
  version: '1.1.0',
  parameters: {
    type: 'object',
    properties: {
      image: IMAGE_PARAMETER,
      metric: {
        type: 'string',
        default: 'ssim',
        description: 'a full-reference image-quality tool, such as ssim, ssimulacra2, psnr, vsi or lpips',
      },
      target: {
        type: 'number',
        description: "the metric's raw score that must still be met, such as 80 for ssimulacra2 or 0.97 for ssim",
      },
      effort: {
        type: 'integer',
        minimum: 0,
        maximum: 9,
        default: DEFAULT_EFFORT,
        description: 'how long AVIF may take: higher is slower and smaller',
      },
      formats: {
        type: 'array',
        items: { type: 'string', enum: [...FIT_FORMATS] },
        minItems: 1,
        uniqueItems: true,
        description: 'formats to try; all when absent',
      },
    },
    required: ['image', 'target'],
    additionalProperties: false,
  },
  output_schema: {
    type: 'object',
    properties: {
      image: { type: 'object' },
      target: { type: 'object' },
      best: { type: ['object', 'null'], description: 'format, quality, bytes and score of the smallest file' },
      curve: { type: 'array', items: { type: 'object' } },
      skipped: { type: 'array', items: { type: 'object' } },
      result: { type: 'object', description: 'the smallest file: a key in the image store, or base64' },
    },
    required: ['image', 'target', 'best', 'curve', 'skipped'],
  },
  category: 'image quality',
  tags: ['image', 'compression', 'quality', 'optimise'],
  permission: 'safe',
  scenarios: ['media processing', 'file operations'],
  intents: ['convert', 'compress', 'optimise'],
  cacheable: true,
  price_micros: 2000,
  timeout_seconds: 600,
};

const fitArguments = lazily(() =>
  z.strictObject({
    image: z.unknown(),
    metric: z.string().default('ssim'),
    target: z.number(),
    formats: z.array(z.enum(FIT_FORMATS)).min(1).optional(),
    effort: z.int().min(0).max(9).default(DEFAULT_EFFORT),
  }),
);

export interface FitToolDeps extends FitDeps {
  readonly readImage: ReadImage;
  /** Stores the fitted picture and returns its key; without it the picture is returned in base64. */
  readonly writeImage?: (tenant: string, bytes: Uint8Array, contentType: string) => Promise<string>;
}

/** The internal handler `image_fit`. */
export const fitHandler = (deps: FitToolDeps): Handler => ({
  permission: 'safe',
  async run(args, { tenant, signal, progress }) {
    const parsed = fitArguments().safeParse(args);
    if (!parsed.success) throw invalidInput(parsed.error, args, 'the call of image_fit');
    const { image: source, metric, target: value, formats, effort } = parsed.data;
    const image = await readImageSource(source, 'image', tenant, deps.readImage);
    const { report, bytes } = await fitImage(deps, {
      image,
      tenant,
      target: { tool: metric, value },
      formats,
      effort,
      signal,
      progress: (point, done, total) => progress?.(done, total, `${point.format} ${point.quality}`),
    });
    if (!bytes || !report.best) return report;
    const type = `image/${report.best.format}`;
    const result = deps.writeImage
      ? { key: await deps.writeImage(tenant, bytes, type) }
      : { base64: Buffer.from(bytes).toString('base64'), content_type: type };
    return { ...report, result };
  },
});
