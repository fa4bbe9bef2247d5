import { Fault } from '../kernel/errors.ts';
import type { Feed } from './metric.ts';
import type { Pixels } from './pixels.ts';
import type { Preprocessing } from './preprocess.ts';
import { resizePlanes } from './resize.ts';

/** Preprocesses a picture for a learned model: resized, cropped, normalised, in the model's layout with a batch of one. */
export function prepare(pixels: Pixels, settings: Preprocessing): Feed {
  const scaled = scale(pixels, settings);
  const area = cropArea(scaled, settings);
  const { layout, channels } = settings;
  const data = new Float32Array(area.width * area.height * 3);
  const [low, high] = settings.range;
  for (let channel = 0; channel < 3; channel++) {
    const source = channels === 'RGB' ? channel : 2 - channel;
    const plane = scaled.planes[source] as Float32Array;
    const deviation = settings.std[channel] as number;
    const factor = (high - low) / 255 / deviation;
    const offset = (low - (settings.mean[channel] as number)) / deviation;
    const step = layout === 'NCHW' ? 1 : 3;
    let target = layout === 'NCHW' ? channel * area.width * area.height : channel;
    for (let y = 0; y < area.height; y++) {
      const row = (area.top + y) * scaled.width + area.left;
      for (let x = 0; x < area.width; x++, target += step) data[target] = (plane[row + x] as number) * factor + offset;
    }
  }
  const { width, height } = area;
  return { type: 'float32', data, shape: layout === 'NCHW' ? [1, 3, height, width] : [1, height, width, 3] };
}

/** Reads the score from a model's output: its only number, or the mean of a distribution over ratings 1..n. */
export function readScore(values: readonly number[], { reading }: Preprocessing, tool: string): number {
  if (reading === 'distribution') {
    const total = values.reduce((sum, weight) => sum + weight, 0);
    return values.reduce((sum, weight, index) => sum + weight * (index + 1), 0) / total;
  }
  const [only] = values;
  if (only !== undefined && values.length === 1) return only;
  const text = `the model of ${tool} gives ${values.length} numbers instead of one score; name its output, or set reading to distribution`;
  throw new Fault('InvalidInput', text, { tool, numbers: values.length });
}

interface Planes {
  readonly width: number;
  readonly height: number;
  readonly planes: readonly Float32Array[];
}

function scale(pixels: Pixels, { resize }: Preprocessing): Planes {
  const { width, height } = pixels;
  if (!resize) return resizePlanes(pixels, { width, height, kernel: 'bilinear', antialias: false });
  const { size, fit, kernel, antialias } = resize;
  if (fit === 'exact') return resizePlanes(pixels, { width: size, height: size, kernel, antialias });
  const factor = size / Math.min(width, height);
  const target =
    width < height
      ? { width: size, height: Math.floor(height * factor) }
      : { width: Math.floor(width * factor), height: size };
  return resizePlanes(pixels, { ...target, kernel, antialias });
}

function cropArea({ width, height }: Planes, { crop }: Preprocessing) {
  if (!crop) return { left: 0, top: 0, width, height };
  const target =
    'size' in crop
      ? { width: crop.size, height: crop.size }
      : { width: width - (width % crop.multiple), height: height - (height % crop.multiple) };
  if (target.width > width || target.height > height || target.width * target.height === 0) {
    const needed = 'size' in crop ? crop.size : crop.multiple;
    throw new Fault(
      'InvalidInput',
      `the model crops to ${needed} pixels, the picture has ${width} x ${height}; use a larger one`,
    );
  }
  return { left: (width - target.width) >> 1, top: (height - target.height) >> 1, ...target };
}
