import sharp from 'sharp';
import type { EncodeOptions } from '../../iqa/engine.ts';
import type { Pixels } from '../../iqa/pixels.ts';

/** The file of a picture in one of the formats that can be searched for size. */
export async function encodePicture(pixels: Pixels, { format, quality }: EncodeOptions): Promise<Uint8Array> {
  const { width, height, data } = pixels;
  const image = sharp(data, { raw: { width, height, channels: 3 }, limitInputPixels: false });
  const bytes = await image.toFormat(format, quality === undefined || format === 'png' ? {} : { quality }).toBuffer();
  return new Uint8Array(bytes);
}
