import type { BuiltGraph } from './graph.ts';
import type { Pixels, QualityMap } from './pixels.ts';

/** A tensor on its way into a graph. */
export interface Feed {
  readonly type: 'float32' | 'uint8';
  readonly data: Float32Array | Uint8Array;
  readonly shape: readonly number[];
}

/** A file of learned weights that ships with the product, known by its SHA-256. */
export interface WeightsFile {
  readonly name: string;
  readonly sha256: string;
}

/** Runs graphs, one session for each; the worker provides it. Fails when the request was given up meanwhile. */
export interface GraphRunner {
  throwIfGivenUp(): void;
  /** The graph that a shipped file fills, built once. Unavailable when its bytes are missing or not those of the digest. */
  learned<Output extends string>(
    file: WeightsFile,
    build: (weights: Uint8Array) => BuiltGraph<Output>,
  ): BuiltGraph<Output>;
  run<Output extends string>(
    graph: BuiltGraph<Output>,
    feeds: Readonly<Record<string, Feed>>,
  ): Promise<Readonly<Record<Output, Float32Array>>>;
}

/** Two pictures of one size. */
export interface Pair {
  readonly picture: Pixels;
  readonly reference: Pixels;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Rows `from` up to, not including, `to`, in the metric's own counting. */
export interface RowRange {
  readonly from: number;
  readonly to: number;
}

interface MetricCommon {
  readonly name: string;
  /** The shortest side it is defined for. */
  readonly minimumSide: number;
  /** Published numbers that it computes by beside its graphs. */
  readonly figures?: unknown;
  /** What a learned metric's graphs are filled with. */
  readonly weightsFile?: WeightsFile;
  /**
   * The graphs it runs, built when first asked for; fixed, so that their digests identify the metric.
   * Those of a learned metric are outlines without `weights`: they cannot run, but cost nothing.
   */
  graphs(weights?: Uint8Array): readonly BuiltGraph[];
  map?(pair: Pair, runner: GraphRunner): Promise<QualityMap>;
}

/** A metric that is a function of sums over rows: parts of a picture run on several threads, in bounded memory. */
export interface StripMetric extends MetricCommon {
  readonly kind: 'strips';
  /** How many rows there are to divide between parts. */
  rows(size: Size): number;
  /** Parts are multiples of so many rows, so that the same tiles are summed however many parts there are. */
  readonly rowUnit: number;
  /** The sums over some of these rows; sums of all parts are added up in float64. */
  sums(pair: Pair, rows: RowRange, runner: GraphRunner): Promise<Float64Array>;
  /** The sums are planes, one after the other for each row: those of the parts follow each other. */
  readonly arePlanes?: true;
  finish(sums: Float64Array, size: Size): number;
}

/** A metric that needs the whole pair at once. */
export interface WholeMetric extends MetricCommon {
  readonly kind: 'whole';
  score(pair: Pair, runner: GraphRunner): Promise<number>;
}

export type GraphMetric = StripMetric | WholeMetric;
