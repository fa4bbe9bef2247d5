import { lazily } from '../../kernel/lazily.ts';
import { type BuiltGraph, createGraph } from '../graph.ts';
import type { Pair, WholeMetric } from '../metric.ts';
import { mixPlanes, type Planes, poolingFactor, poolPlanes } from '../pool-planes.ts';

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
    for (let at = 0; at < size; at++) lightness[2 * size + at] = ((x.l[at] as number) + (y.l[at] as number)) / 2;
    const shape = [3, 1, height, width];
    const { gradient } = await runner.run(graph(), { lightness: { type: 'float32', data: lightness, shape } });
    const similarity = new Float64Array(size);
    for (let at = 0; at < size; at++) {
      const a = gradient[at] as number;
      const b = gradient[size + at] as number;
      const both = gradient[2 * size + at] as number;
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

const axesOf = (planes: Planes): Axes => ({
  l: mixPlanes(planes, 0.2989, 0.587, 0.114),
  h: mixPlanes(planes, 0.3, 0.04, -0.35),
  m: mixPlanes(planes, 0.34, -0.6, 0.17),
});

const dice = (a: number, b: number, constant: number): number => (2 * a * b + constant) / (a * a + b * b + constant);

function colourSimilarity(x: Axes, y: Axes, at: number): number {
  const hx = x.h[at] as number;
  const hy = y.h[at] as number;
  const mx = x.m[at] as number;
  const my = y.m[at] as number;
  return (2 * (hx * hy + mx * my) + 550) / (hx * hx + hy * hy + mx * mx + my * my + 550);
}

/** Mean distance of the fourth roots from their mean, in the complex plane: the root of a negative has phase pi / 4. */
function meanDeviation(values: Float64Array): number {
  const roots = values.map((value) => Math.sqrt(Math.sqrt(Math.abs(value))));
  // Sums are divided last: the mean of equal values is then exact, and a fourth root would enlarge any error.
  let real = 0;
  let imaginary = 0;
  for (let at = 0; at < values.length; at++) {
    const root = roots[at] as number;
    const isNegative = (values[at] as number) < 0;
    real += isNegative ? root * Math.SQRT1_2 : root;
    if (isNegative) imaginary += root * Math.SQRT1_2;
  }
  real /= values.length;
  imaginary /= values.length;
  let distance = 0;
  for (let at = 0; at < values.length; at++) {
    const root = roots[at] as number;
    const isNegative = (values[at] as number) < 0;
    const across = (isNegative ? root * Math.SQRT1_2 : root) - real;
    const up = (isNegative ? root * Math.SQRT1_2 : 0) - imaginary;
    distance += Math.sqrt(across * across + up * up);
  }
  return distance / values.length;
}
