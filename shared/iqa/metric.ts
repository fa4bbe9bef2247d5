import type { BuiltGraph } from './graph.ts';
import type { Pixels, QualityMap } from './pixels.ts';

/** An input tensor of a graph. */
export interface Feed {
  readonly type: 'float32' | 'uint8';
  readonly data: Float32Array | Uint8Array;
  readonly shape: readonly number[];
}

/** A file of learned weights that ships with the product, identified by its SHA-256. */
export interface WeightsFile {
  readonly name: string;
  readonly sha256: string;
}

/** Runs graphs in sessions of the worker. Throws when the request has been aborted. */
export interface GraphRunner {
  throwIfAborted(): void;
  /** A graph with the weights of a shipped file, built once. Unavailable when the file is missing or has another digest. */
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

/** Rows `from` up to but not including `to`, as the metric counts rows. */
export interface RowRange {
  readonly from: number;
  readonly to: number;
}

interface MetricCommon {
  readonly name: string;
  /** The shortest side the metric is defined for. */
  readonly minimumSide: number;
  /** Published constants it uses besides its graphs; part of its digest. */
  readonly figures?: unknown;
  /** The weights of a learned metric. */
  readonly weightsFile?: WeightsFile;
  /**
   * The graphs it runs, built lazily and always the same, so that their digests identify the metric. Without `weights`
   * those of a learned metric are outlines, which cannot run but cost nothing.
   */
  graphs(weights?: Uint8Array): readonly BuiltGraph[];
  map?(pair: Pair, runner: GraphRunner): Promise<QualityMap>;
}

/** A metric computed from sums over rows, so that several threads can share a picture, in bounded memory. */
export interface StripMetric extends MetricCommon {
  readonly kind: 'strips';
  /** How many rows there are to divide among threads. */
  rows(size: Size): number;
  /** Parts are multiples of this many rows, so that the same tiles are summed whatever the number of threads. */
  readonly rowUnit: number;
  /** The sums over some rows; the caller adds those of all parts in float64. */
  sums(pair: Pair, rows: RowRange, runner: GraphRunner): Promise<Float64Array>;
  /** Set if `sums` returns planes, which are concatenated instead of added. */
  readonly arePlanes?: true;
  finish(sums: Float64Array, size: Size): number;
}

/** A metric that needs the whole pair at once. */
export interface WholeMetric extends MetricCommon {
  readonly kind: 'whole';
  score(pair: Pair, runner: GraphRunner): Promise<number>;
}

export type GraphMetric = StripMetric | WholeMetric;
