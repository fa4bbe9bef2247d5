import { readFileSync } from 'node:fs';
import sharp from 'sharp';

/** A photograph of any size: the golden one, mirrored at its edges instead of scaled, to keep the texture natural. */
export async function photograph(width: number, height: number): Promise<Uint8Array> {
  const file = readFileSync(new URL('../golden/iqa/astronaut.png', import.meta.url));
  const { data, info } = await sharp(file).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  const pixels = new Uint8Array(width * height * 3);
  const columns = Int32Array.from({ length: width }, (_, x) => 3 * mirrored(x, info.width));
  for (let y = 0, at = 0; y < height; y++) {
    const row = mirrored(y, info.height) * info.width * 3;
    for (const column of columns) {
      pixels[at++] = data[row + column] as number;
      pixels[at++] = data[row + column + 1] as number;
      pixels[at++] = data[row + column + 2] as number;
    }
  }
  return pixels;
}

/** The photograph as two JPEG files, one of high and one of low quality. */
export async function jpegPair(width: number, height: number): Promise<readonly [Buffer, Buffer]> {
  const pixels = await photograph(width, height);
  const encode = (quality: number): Promise<Buffer> =>
    sharp(pixels, { raw: { width, height, channels: 3 } })
      .jpeg({ quality })
      .toBuffer();
  return [await encode(92), await encode(60)];
}

const mirrored = (index: number, length: number): number => {
  const place = index % (2 * length);
  return place < length ? place : 2 * length - 1 - place;
};
