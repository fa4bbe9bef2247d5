import { type BuiltGraph, createGraph } from '../graph.ts';
import { lazily } from '../lazily.ts';
import type { Pair, WholeMetric } from '../metric.ts';
import { type Planes, poolingFactor, poolPlanes } from '../pool-planes.ts';

const graph = lazily(build);

/** Mean deviation similarity index: how unevenly gradients and colours of the pictures agree; 0 is best. */
export const mdsi: WholeMetric = {
  kind: 'whole',
  name: 'mdsi',
  minimumSide: 3,
  graphs: () => [graph()],
  async score(pair, runner) {
    const { x, y, width, height } = pooled(pair);
    const size = width * height;
    const lightness = new Float32Array(3 * size);
    lightness.set(x.l);
    lightness.set(y.l, size);
    lightness.set(
      x.l.map((value, at) => (value + (y.l[at] as number)) / 2),
      2 * size,
    );
    const shape = [3, 1, height, width];
    const { gradient } = await runner.run(graph(), { lightness: { type: 'float32', data: lightness, shape } });
    const similarity = new Float64Array(size);
    for (let at = 0; at < size; at++) {
      const [a, b, both] = [gradient[at] as number, gradient[size + at] as number, gradient[2 * size + at] as number];
      const edges = dice(a, b, 140) + dice(a, both, 55) - dice(b, both, 55);
      similarity[at] = 0.6 * edges + 0.4 * colourSimilarity(x, y, at);
    }
    return meanDeviation(similarity) ** 0.25;
  },
};

function build(): BuiltGraph<'gradient'> {
  const made = createGraph('mdsi');
  const lightness = made.input('lightness', 'float32', [3, 1, 'height', 'width']);
  const third = 1 / 3;
  const across = [third, 0, -third, third, 0, -third, third, 0, -third];
  const down = [third, third, third, 0, 0, 0, -third, -third, -third];
  const kernels = made.constant([...across, ...down], [2, 1, 3, 3]);
  const gradients = made.conv(lightness, kernels, { pads: [1, 1, 1, 1] });
  const magnitude = made.op('Sqrt', [made.sum(made.mul(gradients, gradients), [1])]);
  return made.build({ gradient: { value: magnitude, shape: [3, 'height', 'width'] } });
}

interface Axes {
  readonly l: Float32Array;
  readonly h: Float32Array;
  readonly m: Float32Array;
}

function pooled({ picture, reference }: Pair) {
  const factor = poolingFactor(picture);
  const overhang = { before: Math.floor((factor - 1) / 2), after: Math.floor(factor / 2), isBlack: true };
  const [first, second] = [poolPlanes(picture, factor, overhang), poolPlanes(reference, factor, overhang)];
  return { x: axesOf(first), y: axesOf(second), width: first.width, height: first.height };
}

function axesOf({ red, green, blue }: Planes): Axes {
  const mix = (r: number, g: number, b: number): Float32Array =>
    red.map((value, at) => r * value + g * (green[at] as number) + b * (blue[at] as number));
  return { l: mix(0.2989, 0.587, 0.114), h: mix(0.3, 0.04, -0.35), m: mix(0.34, -0.6, 0.17) };
}

const dice = (a: number, b: number, constant: number): number => (2 * a * b + constant) / (a * a + b * b + constant);

function colourSimilarity(x: Axes, y: Axes, at: number): number {
  const [hx, hy, mx, my] = [x.h[at] as number, y.h[at] as number, x.m[at] as number, y.m[at] as number];
  return (2 * (hx * hy + mx * my) + 550) / (hx * hx + hy * hy + mx * mx + my * my + 550);
}

/** Mean distance of the fourth roots from their mean, in the complex plane: the root of a negative has phase pi / 4. */
function meanDeviation(values: Float64Array): number {
  const diagonal = Math.SQRT1_2;
  const rootOf = (value: number): readonly [number, number] => {
    const length = Math.abs(value) ** 0.25;
    return value < 0 ? [length * diagonal, length * diagonal] : [length, 0];
  };
  // Sums are divided last: the mean of equal values is then exact, and a fourth root would enlarge any error.
  let [real, imaginary] = [0, 0];
  for (const value of values) {
    const root = rootOf(value);
    real += root[0];
    imaginary += root[1];
  }
  const [meanReal, meanImaginary] = [real / values.length, imaginary / values.length];
  let distance = 0;
  for (const value of values) {
    const root = rootOf(value);
    distance += Math.hypot(root[0] - meanReal, root[1] - meanImaginary);
  }
  return distance / values.length;
}
