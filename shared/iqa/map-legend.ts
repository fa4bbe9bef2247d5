import { glow, type MapScale } from './heat-map.ts';
import type { Pixels } from './pixels.ts';

const HEIGHT = 22;
const MARGIN = 4;
const INK = 235;

/** Adds a strip below the picture: the metric's name and the colour scale with both its ends. */
export const withLegend = (picture: Pixels, tool: string, { low, high }: MapScale): Pixels => {
  const { width } = picture;
  const height = picture.height + HEIGHT;
  const data = new Uint8Array(width * height * 3).fill(24);
  data.set(picture.data.subarray(0, width * picture.height * 3));
  const canvas = { width, height, data };
  const top = picture.height + MARGIN;
  const name = write(canvas, tool.toUpperCase(), MARGIN, top + 2);
  const lowEnd = write(canvas, String(low), name + 3 * MARGIN, top + 2);
  const right = width - MARGIN - widthOf(String(high));
  const bar = { from: lowEnd + MARGIN, to: right - MARGIN };
  for (let x = bar.from; x < bar.to; x++) {
    const heat = 1 - (x - bar.from) / Math.max(1, bar.to - 1 - bar.from);
    for (let y = top; y < top + HEIGHT - 2 * MARGIN; y++)
      for (let channel = 0; channel < 3; channel++)
        data[(y * width + x) * 3 + channel] = Math.round(glow(heat, channel));
  }
  if (right > lowEnd) write(canvas, String(high), right, top + 2);
  return canvas;
};

// Five rows of three bits per character; only capitals, because lower case is illegible at this size.
const GLYPHS: Readonly<Record<string, string>> = {
  '0': '75557',
  '1': '26227',
  '2': '71747',
  '3': '71717',
  '4': '55711',
  '5': '74717',
  '6': '74757',
  '7': '71122',
  '8': '75757',
  '9': '75717',
  '.': '00002',
  '-': '00700',
  _: '00007',
  C: '74447',
  D: '65556',
  F: '74644',
  G: '74557',
  I: '72227',
  M: '57755',
  S: '74717',
  V: '55552',
};
const ZOOM = 2;
const STEP = 4 * ZOOM;

const widthOf = (text: string): number => text.length * STEP - ZOOM;

/** Draws text and returns where it ends; clips what does not fit. */
const write = ({ width, data }: Pixels, text: string, left: number, top: number): number => {
  for (const [index, sign] of [...text].entries())
    for (const [row, bits] of [...(GLYPHS[sign] ?? '00000')].entries())
      for (let column = 0; column < 3; column++) {
        if (((Number(bits) >> (2 - column)) & 1) === 0) continue;
        const x = left + index * STEP + column * ZOOM;
        if (x + ZOOM > width) continue;
        for (let dy = 0; dy < ZOOM; dy++) {
          const at = ((top + row * ZOOM + dy) * width + x) * 3;
          data.fill(INK, at, at + 3 * ZOOM);
        }
      }
  return left + widthOf(text);
};
