/** What a picture file may be before it is decoded. */
export interface DecodeLimits {
  readonly bytes: number;
  readonly pixels: number;
}

/** 100 MB, and the 268 megapixels that fit a square of 14-bit sides. */
export const defaultLimits: DecodeLimits = { bytes: 100 * 2 ** 20, pixels: 0x3fff ** 2 };
