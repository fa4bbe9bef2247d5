import type { Pair, RowRange } from './metric.ts';
import type { Pixels } from './pixels.ts';
import { joinParts } from './strips.ts';

export type Features<Name extends string> = Readonly<Record<Name, Float32Array | Float64Array>>;

/** Named planes of two pictures as one array: what threads that take a picture each give back is joined so. */
export const featurePlanes = <Name extends string>(names: readonly Name[]) => {
  const packOne = (features: Features<Name>): Float64Array => {
    const size = features[names[0] as Name].length;
    const packed = new Float64Array(names.length * size);
    for (const [at, name] of names.entries()) packed.set(features[name], at * size);
    return packed;
  };
  const unpackOne = (packed: Float64Array): Features<Name> => {
    const size = packed.length / names.length;
    const planes = names.map((name, at) => [name, packed.subarray(at * size, (at + 1) * size)]);
    return Object.fromEntries(planes) as Features<Name>;
  };
  return {
    async pack(
      { picture, reference }: Pair,
      { from, to }: RowRange,
      compute: (pixels: Pixels) => Promise<Features<Name>>,
    ): Promise<Float64Array> {
      const packed: Float64Array[] = [];
      for (const pixels of [picture, reference].slice(from, to)) packed.push(packOne(await compute(pixels)));
      return joinParts(packed);
    },
    /** The planes of the picture and of its reference. */
    unpack: (packed: Float64Array) =>
      [unpackOne(packed.subarray(0, packed.length / 2)), unpackOne(packed.subarray(packed.length / 2))] as const,
  };
};
