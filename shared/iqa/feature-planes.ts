import type { Pair, RowRange, Size } from './metric.ts';
import type { Pixels } from './pixels.ts';

export type Features<Name extends string> = Readonly<Record<Name, Float32Array>>;

/**
 * Named planes of two pictures packed into one array, because threads that each take a picture return an array of
 * float64. Its bytes hold float32, which halves what is copied between threads.
 */
export const featurePlanes = <Name extends string>(names: readonly Name[]) => {
  const viewOf = (packed: Float64Array, picture: number, length: number): Features<Name> => {
    const start = packed.byteOffset + picture * roomFor(length) * Float64Array.BYTES_PER_ELEMENT;
    const bytesOf = length * Float32Array.BYTES_PER_ELEMENT;
    const planes = names.map((name, at) => [name, new Float32Array(packed.buffer, start + at * bytesOf, length)]);
    return Object.fromEntries(planes) as Features<Name>;
  };
  const roomFor = (length: number): number => Math.ceil((names.length * length) / 2);
  return {
    /** Packs the planes of the pictures in the range, all of one size, as `fill` computes them. */
    pack(
      { picture, reference }: Pair,
      { from, to }: RowRange,
      { width, height }: Size,
      fill: (pixels: Pixels, planes: Features<Name>) => void,
    ): Float64Array {
      const asked = [picture, reference].slice(from, to);
      const packed = new Float64Array(asked.length * roomFor(width * height));
      for (const [at, pixels] of asked.entries()) fill(pixels, viewOf(packed, at, width * height));
      return packed;
    },
    /** The planes of the picture and of its reference. */
    unpack: (packed: Float64Array, { width, height }: Size) =>
      [viewOf(packed, 0, width * height), viewOf(packed, 1, width * height)] as const,
  };
};
