import type { Size } from './metric.ts';

/** Squared Scharr gradient (3, 10, 3 over 16), with zeros around the plane. */
export function scharrEnergy(plane: Float32Array, { width, height }: Size): Float32Array {
  const energy = new Float32Array(plane.length);
  const at = (y: number, x: number): number =>
    y < 0 || y >= height || x < 0 || x >= width ? 0 : (plane[y * width + x] as number);
  for (let y = 0, target = 0; y < height; y++) {
    for (let x = 0; x < width; x++, target++) {
      const [northWest, north, northEast] = [at(y - 1, x - 1), at(y - 1, x), at(y - 1, x + 1)];
      const [southWest, south, southEast] = [at(y + 1, x - 1), at(y + 1, x), at(y + 1, x + 1)];
      const across = (3 * (northEast - northWest + southEast - southWest) + 10 * (at(y, x + 1) - at(y, x - 1))) / 16;
      const down = (3 * (southWest - northWest + southEast - northEast) + 10 * (south - north)) / 16;
      energy[target] = across ** 2 + down ** 2;
    }
  }
  return energy;
}
