import sharp from 'sharp';
import type { EncodeOptions } from '../../iqa/engine.ts';
import type { Pixels } from '../../iqa/pixels.ts';

/** The file of a picture in one of the formats that can be searched for size. */
export async function encodePicture(pixels: Pixels, options: EncodeOptions): Promise<Uint8Array> {
  const { width, height, data } = pixels;
  const image = sharp(data, { raw: { width, height, channels: 3 }, limitInputPixels: false });
  return new Uint8Array(await image.toFormat(options.format, settingsOf(options)).toBuffer());
}

function settingsOf({ format, quality, effort }: EncodeOptions): object {
  if (format === 'png' || quality === undefined) return {};
  if (effort === undefined) return { quality };
  if (format === 'jpeg') return { quality, mozjpeg: true };
  return format === 'webp' ? { quality, effort: 6, smartSubsample: true } : { quality, effort };
}
