import { openBitmap } from './bitmap.ts';
import { openNetpbm } from './netpbm.ts';

/** A picture in an uncompressed format. Its size was checked against the file's length before anything is allocated. */
export interface PlainPicture {
  readonly format: 'bmp' | 'ppm' | 'pgm';
  readonly width: number;
  readonly height: number;
  readonly notes: readonly string[];
  /** Writes 8-bit red, green and blue, row by row. */
  read(target: Uint8Array): void;
}

/** Opens BMP, PPM and PGM, which sharp's build does not read; undefined for anything else. */
export const openPlain = (bytes: Uint8Array): PlainPicture | undefined => {
  const [first, second] = bytes;
  if (first === 0x42 && second === 0x4d) return openBitmap(bytes);
  // P2, P3, P5 and P6 with white space behind.
  const isNetpbm = first === 0x50 && [0x32, 0x33, 0x35, 0x36].includes(second ?? 0) && (bytes[2] ?? 33) <= 35;
  return isNetpbm ? openNetpbm(bytes) : undefined;
};
