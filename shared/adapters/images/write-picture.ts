import type { Sharp } from 'sharp';
import { Fault } from '../../kernel/errors.ts';

export const OUTPUT_FORMATS = ['jpeg', 'png', 'webp', 'avif', 'tiff', 'gif'] as const;
export type OutputFormat = (typeof OUTPUT_FORMATS)[number];

export interface WrittenPicture {
  readonly base64: string;
  readonly format: OutputFormat;
  readonly width: number;
  readonly height: number;
  readonly bytes: number;
}

/** What fits an answer as Base64, with room for the rest of it. */
const MAX_BYTES = 3_000_000;

/** Encodes a pipeline's result for an answer. */
export const writePicture = async (
  pipeline: Sharp,
  format: OutputFormat,
  quality: number | undefined,
): Promise<WrittenPicture> => {
  // JPEG has no transparency: without this, transparent pixels become black.
  const flat = format === 'jpeg' ? pipeline.flatten({ background: '#ffffff' }) : pipeline;
  const { data, info } = await flat.toFormat(format, { quality }).toBuffer({ resolveWithObject: true });
  if (data.length > MAX_BYTES)
    throw new Fault('TooLarge', `the result has ${data.length} bytes; the limit is ${MAX_BYTES}: make it smaller`, {
      bytes: data.length,
      limit: MAX_BYTES,
    });
  return { base64: data.toString('base64'), format, width: info.width, height: info.height, bytes: data.length };
};

export const formatOf = (given: unknown, fallback: string | undefined): OutputFormat => {
  const wanted = given ?? (fallback === 'heif' ? 'avif' : fallback);
  return OUTPUT_FORMATS.find((format) => format === wanted) ?? 'png';
};

/** The schema of a picture in an answer. */
export const writtenSchema = {
  base64: { type: 'string', description: 'The picture.' },
  format: { type: 'string', enum: [...OUTPUT_FORMATS] },
  width: { type: 'integer' },
  height: { type: 'integer' },
  bytes: { type: 'integer' },
} as const;
