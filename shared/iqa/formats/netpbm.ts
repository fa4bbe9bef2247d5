import { Fault } from '../../kernel/errors.ts';
import type { PlainPicture } from './plain-picture.ts';

/** Opens PGM and PPM, binary (P5, P6) or as text (P2, P3), with 8 or 16 bits per sample. */
export const openNetpbm = (bytes: Uint8Array): PlainPicture => {
  const kind = (bytes[1] as number) - 48;
  const isText = kind < 4;
  const channels = kind === 3 || kind === 6 ? 3 : 1;
  const words = createWords(bytes, 2);
  const [width, height, most] = [words.number('width'), words.number('height'), words.number('largest value')];
  if (width === 0 || height === 0) throw refusal(`it says ${width} x ${height} pixels`);
  if (most < 1 || most > 65_535) throw refusal(`its largest value is ${most}, which must be 1 to 65535`);
  // One white space ends the header.
  const start = words.at() + 1;
  const wide = most > 255 ? 2 : 1;
  const samples = width * height * channels;
  // Each sample of a text takes at least a digit and a space; the last needs no space.
  const needed = isText ? words.at() + 2 * samples - 1 : start + samples * wide;
  if (needed > bytes.length)
    throw refusal(`it says ${width} x ${height} pixels, at least ${needed} bytes, but the file has ${bytes.length}`);
  const sample = isText ? () => words.number('sample') : binarySamples(bytes, start, wide);
  const toByte = (value: number): number => {
    if (value > most) throw refusal(`it has the sample ${value} above its largest value ${most}`);
    return most === 255 ? value : Math.round((255 * value) / most);
  };
  return {
    format: channels === 3 ? 'ppm' : 'pgm',
    width,
    height,
    notes: wide === 2 ? ['reduced from ushort to 8 bits'] : [],
    read(target) {
      for (let at = 0; at < width * height * 3; ) {
        const value = toByte(sample());
        target[at++] = value;
        target[at++] = channels === 3 ? toByte(sample()) : value;
        target[at++] = channels === 3 ? toByte(sample()) : value;
      }
    },
  };
};

const binarySamples = (bytes: Uint8Array, start: number, wide: number): (() => number) => {
  let at = start;
  if (wide === 1) return () => bytes[at++] as number;
  return () => {
    at += 2;
    return ((bytes[at - 2] as number) << 8) | (bytes[at - 1] as number);
  };
};

/** Reads decimal numbers, skipping white space and comments (from # to the end of the line). */
const createWords = (bytes: Uint8Array, from: number) => {
  let at = from;
  const isSpace = (byte: number | undefined): boolean => byte === 32 || (byte !== undefined && byte >= 9 && byte <= 13);
  return {
    at: () => at,
    number(what: string): number {
      for (; isSpace(bytes[at]) || bytes[at] === 35; at++)
        if (bytes[at] === 35) while (at + 1 < bytes.length && bytes[at + 1] !== 10 && bytes[at + 1] !== 13) at++;
      const begin = at;
      let value = 0;
      for (; (bytes[at] ?? 0) >= 48 && (bytes[at] ?? 99) <= 57; at++) value = 10 * value + (bytes[at] as number) - 48;
      if (at === begin || at - begin > 9) throw refusal(`its ${what} at byte ${begin} is no number of 1 to 9 digits`);
      return value;
    },
  };
};

const refusal = (what: string): Fault => new Fault('InvalidInput', `is a damaged or unknown ppm or pgm file: ${what}`);
