import sharp, { type Sharp } from 'sharp';

/** How long libvips may work on one picture before it stops by itself. */
export const DECODE_SECONDS = 30;

/** A picture on its way to 8-bit RGB. Its size was checked by its header. */
export const pixelPipeline = (bytes: Uint8Array, ignoreIcc: boolean): Sharp =>
  sharp(bytes, { limitInputPixels: false, failOn: 'error', ignoreIcc })
    .timeout({ seconds: DECODE_SECONDS })
    .autoOrient()
    .flatten({ background: '#ffffff' })
    .toColourspace('srgb');
