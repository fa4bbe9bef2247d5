import { keepLast } from '../kernel/lazily.ts';
import type { Size } from './metric.ts';

/** Writes the magnitude of the Scharr gradient (3, 10, 3 over 16), zero-padded, to `magnitude`; `tiny` is added to its square. */
export function scharrMagnitude(
  plane: Float32Array,
  { width, height }: Size,
  tiny: number,
  magnitude: Float32Array,
): void {
  const framed = withFrame(plane, width, height);
  const line = width + 2;
  for (let y = 0, target = 0; y < height; y++) {
    let above = y * line;
    for (let x = 0; x < width; x++, above++, target++) {
      const level = above + line;
      const below = level + line;
      const northWest = framed[above] as number;
      const northEast = framed[above + 2] as number;
      const southWest = framed[below] as number;
      const southEast = framed[below + 2] as number;
      const eastWest = (framed[level + 2] as number) - (framed[level] as number);
      const southNorth = (framed[below + 1] as number) - (framed[above + 1] as number);
      const across = (3 * (northEast - northWest + southEast - southWest) + 10 * eastWest) / 16;
      const down = (3 * (southWest - northWest + southEast - northEast) + 10 * southNorth) / 16;
      magnitude[target] = Math.sqrt(Math.fround(across * across + down * down) + tiny);
    }
  }
}

// Consecutive pictures often have one size: allocating a frame for each would load the garbage collector.
const frameFor = keepLast<Float32Array>();

function withFrame(plane: Float32Array, width: number, height: number): Float32Array {
  const framed = frameFor(`${width} ${height}`, () => new Float32Array((width + 2) * (height + 2)));
  for (let y = 0; y < height; y++) {
    framed.set(plane.subarray(y * width, (y + 1) * width), (y + 1) * (width + 2) + 1);
  }
  return framed;
}
