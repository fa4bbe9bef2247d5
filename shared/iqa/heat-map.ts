import type { Pixels, QualityMap } from './pixels.ts';

/** The map values painted with full heat and with none. */
export interface MapScale {
  readonly low: number;
  readonly high: number;
}

/**
 * The scale of each metric's map, the same for every picture: the worst 5 % of pictures that are plainly blurred,
 * compressed or noisy get full heat, so that artefacts of a poor JPEG are visible. Other metrics have no maps; 1 is no loss.
 */
export const MAP_SCALES: Readonly<Record<string, MapScale>> = {
  vsi: { low: 0.88, high: 1 },
  fsim: { low: 0.62, high: 1 },
  ssim: { low: 0.45, high: 1 },
  ssimc: { low: 0.3, high: 1 },
  gmsd: { low: 0.88, high: 1 },
};

/** The metric to paint: the first requested one that has a map; by default the first that has one. */
export const chooseMapTool = (asked: readonly string[]): string => {
  const known = Object.keys(MAP_SCALES);
  return asked.map((name) => name.toLowerCase()).find((name) => known.includes(name)) ?? asked[0] ?? known[0] ?? '';
};

export const scaleFor = (tool: string): MapScale => MAP_SCALES[tool] ?? { low: 0, high: 1 };

/** Overlays a quality map on its picture: grey where quality is kept, hotter the worse it is. */
export const heatMap = (pixels: Pixels, map: QualityMap, { low, high }: MapScale): Pixels => {
  const { width, height, data } = pixels;
  const painted = new Uint8Array(data.length);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const at = (y * width + x) * 3;
      const grey = 0.299 * (data[at] ?? 0) + 0.587 * (data[at + 1] ?? 0) + 0.114 * (data[at + 2] ?? 0);
      const heat = Math.min(1, Math.max(0, (high - valueAt(map, x, y)) / (high - low)));
      const cover = 0.15 + 0.75 * heat;
      for (let channel = 0; channel < 3; channel++)
        painted[at + channel] = Math.round((1 - cover) * 0.6 * grey + cover * glow(heat, channel));
    }
  return { width, height, data: painted };
};

/** Bilinear interpolation of the map, clamped to its border. */
const valueAt = ({ width, height, values, left, top, step }: QualityMap, x: number, y: number): number => {
  const column = Math.min(width - 1, Math.max(0, (x - left) / step));
  const row = Math.min(height - 1, Math.max(0, (y - top) / step));
  const [x0, y0] = [Math.floor(column), Math.floor(row)];
  const [x1, y1] = [Math.min(width - 1, x0 + 1), Math.min(height - 1, y0 + 1)];
  const [fx, fy] = [column - x0, row - y0];
  const value = (i: number, j: number): number => values[j * width + i] ?? 1;
  const upper = value(x0, y0) * (1 - fx) + value(x1, y0) * fx;
  const lower = value(x0, y1) * (1 - fx) + value(x1, y1) * fx;
  return upper * (1 - fy) + lower * fy;
};

/** Deep blue, violet, red, orange, pale yellow: even steps of lightness, so that it can be read without colour too. */
const stops = [
  [13, 8, 80],
  [110, 20, 140],
  [200, 45, 75],
  [245, 135, 25],
  [250, 235, 130],
] as const;

/** One channel of the colour of a heat from 0 to 1. */
export const glow = (heat: number, channel: number): number => {
  const place = heat * (stops.length - 1);
  const lower = Math.min(stops.length - 2, Math.floor(place));
  const from = stops[lower]?.[channel] ?? 0;
  const to = stops[lower + 1]?.[channel] ?? 0;
  return from + (to - from) * (place - lower);
};
