import { seededRandom } from '../../kernel/seeded-random.ts';
import type { Pixels } from '../pixels.ts';

/** Distorts a picture by one strength. Deterministic: noise comes from a fixed seed. */
export type Distort = (pixels: Pixels, strength: number) => Pixels;

/** Gaussian blur with this standard deviation in pixels. */
export const blur: Distort = (pixels, sigma) => {
  const radius = Math.max(1, Math.ceil(3 * sigma));
  const taps = Array.from({ length: 2 * radius + 1 }, (_, i) => Math.exp(-((i - radius) ** 2) / (2 * sigma ** 2)));
  return filtered(filtered(pixels, taps, 1, 0), taps, 0, 1);
};

/** Horizontal motion blur over this many pixels. */
export const motionBlur: Distort = (pixels, length) => filtered(pixels, new Array<number>(length).fill(1), 1, 0);

/** Moves colours towards their luma; 1 makes the picture grey. */
export const desaturate: Distort = (pixels, amount) =>
  eachPixel(pixels, (rgb) => {
    const grey = luma(rgb);
    return rgb.map((value) => value + amount * (grey - value)) as unknown as Rgb;
  });

/** Rounds every channel to the given number of levels. */
export const quantise: Distort = (pixels, levels) =>
  eachValue(pixels, (value) => (Math.round((value / 255) * (levels - 1)) * 255) / (levels - 1));

/** Chromatic aberration: shifts red to the left and blue to the right. */
export const fringe: Distort = (pixels, distance) =>
  resampled(pixels, (x, y, channel) => [x + (channel === 0 ? distance : channel === 2 ? -distance : 0), y]);

export const gaussianNoise: Distort = (pixels, sigma) => {
  const random = seededRandom(7);
  return eachValue(
    pixels,
    (value) => value + sigma * Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random()),
  );
};

/** Salt-and-pepper noise: turns this share of the pixels black or white. */
export const impulseNoise: Distort = (pixels, share) => {
  const random = seededRandom(11);
  return eachPixel(pixels, (rgb) => {
    const draw = random();
    return draw >= share ? rgb : draw < share / 2 ? [0, 0, 0] : [255, 255, 255];
  });
};

/** Adds to every channel and clips to 0..255. */
export const brighten: Distort = (pixels, amount) => eachValue(pixels, (value) => value + amount);

/** Scales the difference from mid grey. */
export const contrast: Distort = (pixels, factor) => eachValue(pixels, (value) => 128 + factor * (value - 128));

/** Replaces blocks of this side by one colour. */
export const pixelate: Distort = (pixels, side) =>
  resampled(pixels, (x, y) => [Math.floor(x / side) * side + (side >> 1), Math.floor(y / side) * side + (side >> 1)]);

/** Takes every pixel from a random place at most this far away. */
export const jitter: Distort = (pixels, distance) => {
  const random = seededRandom(13);
  const offset = (): number => Math.round((2 * random() - 1) * distance);
  const offsets = Array.from({ length: pixels.width * pixels.height }, () => [offset(), offset()] as const);
  return resampled(pixels, (x, y) => {
    const [dx, dy] = offsets[y * pixels.width + x] as readonly [number, number];
    return [x + dx, y + dy];
  });
};

/** Loses fine detail: scales down by a factor and up again. */
export const soften: Distort = (pixels, factor) => {
  const { width, height } = pixels;
  const small = scaled(blur(pixels, 0.4 * factor), Math.ceil(width / factor), Math.ceil(height / factor));
  return scaled(small, width, height);
};

/** Unsharp mask: adds this multiple of the fine detail. */
export const oversharpen: Distort = (pixels, amount) => {
  const smooth = blur(pixels, 1).data;
  let at = 0;
  return eachValue(pixels, (value) => value + amount * (value - (smooth[at++] as number)));
};

type Rgb = readonly [number, number, number];

const luma = ([red, green, blue]: Rgb): number => 0.299 * red + 0.587 * green + 0.114 * blue;

const byte = (value: number): number => (value < 0 ? 0 : value > 255 ? 255 : Math.round(value));

const eachValue = ({ width, height, data }: Pixels, change: (value: number) => number): Pixels => ({
  width,
  height,
  data: data.map((value) => byte(change(value))),
});

const eachPixel = ({ width, height, data }: Pixels, change: (rgb: Rgb) => Rgb): Pixels => {
  const out = new Uint8Array(data.length);
  for (let at = 0; at < data.length; at += 3) {
    const rgb = change([data[at] as number, data[at + 1] as number, data[at + 2] as number]);
    for (let channel = 0; channel < 3; channel++) out[at + channel] = byte(rgb[channel] as number);
  }
  return { width, height, data: out };
};

const within = (index: number, length: number): number => (index < 0 ? 0 : index >= length ? length - 1 : index);

/** Takes every value from the place that `from` names; beyond the edge the border pixel repeats. */
const resampled = (
  { width, height, data }: Pixels,
  from: (x: number, y: number, channel: number) => readonly [number, number],
): Pixels => {
  const out = new Uint8Array(data.length);
  for (let at = 0; at < out.length; at++) {
    const pixel = Math.floor(at / 3);
    const [x, y] = from(pixel % width, Math.floor(pixel / width), at % 3);
    out[at] = data[3 * (within(y, height) * width + within(x, width)) + (at % 3)] as number;
  }
  return { width, height, data: out };
};

/** Convolves along (dx, dy) with taps that are normalised to sum 1. */
const filtered = ({ width, height, data }: Pixels, taps: readonly number[], dx: number, dy: number): Pixels => {
  const sum = taps.reduce((total, tap) => total + tap, 0);
  const half = taps.length >> 1;
  const out = new Uint8Array(data.length);
  for (let at = 0; at < out.length; at++) {
    const pixel = Math.floor(at / 3);
    const x = pixel % width;
    const y = Math.floor(pixel / width);
    let value = 0;
    for (let i = 0; i < taps.length; i++) {
      const place = within(y + (i - half) * dy, height) * width + within(x + (i - half) * dx, width);
      value += (taps[i] as number) * (data[3 * place + (at % 3)] as number);
    }
    out[at] = byte(value / sum);
  }
  return { width, height, data: out };
};

/** Resizes by bilinear interpolation. */
const scaled = ({ width, height, data }: Pixels, wide: number, high: number): Pixels => {
  const out = new Uint8Array(wide * high * 3);
  for (let at = 0; at < out.length; at++) {
    const pixel = Math.floor(at / 3);
    const x = Math.max(((pixel % wide) + 0.5) * (width / wide) - 0.5, 0);
    const y = Math.max((Math.floor(pixel / wide) + 0.5) * (height / high) - 0.5, 0);
    const [left, top] = [Math.floor(x), Math.floor(y)];
    const value = (row: number, column: number): number =>
      data[3 * (within(row, height) * width + within(column, width)) + (at % 3)] as number;
    const upper = value(top, left) + (x - left) * (value(top, left + 1) - value(top, left));
    const lower = value(top + 1, left) + (x - left) * (value(top + 1, left + 1) - value(top + 1, left));
    out[at] = byte(upper + (y - top) * (lower - upper));
  }
  return { width: wide, height: high, data: out };
};
