import type { RowRange, Size } from './metric.ts';
import type { SharedLuma } from './nr/luma.ts';
import type { Picture, Pixels, QualityMap } from './pixels.ts';
import type { Preprocessing } from './preprocess.ts';

export type { Picture, Pixels, QualityMap } from './pixels.ts';

/**
 * A metric computed over bytes by plain TypeScript, in a worker thread.
 * The no-reference ones are listed as `pixelMetrics` in `nr/metrics.ts`.
 */
export interface PixelMetric {
  readonly name: string;
  /** Pictures with a shorter side are refused before `score` is called. */
  readonly minimumSide: number;
  /** A picture is split into parts of a multiple of this many rows; larger units are multiples of smaller ones. */
  readonly rowUnit: number;
  /**
   * Partial sums over some rows, which several threads compute and the caller adds up. `luma` is passed when another metric
   * has computed the luma of these rows.
   */
  sums(picture: Pixels, rows: RowRange, luma?: SharedLuma): Float64Array;
  /** Throws a Fault, with the cure, for a picture it has no value for; never returns NaN. */
  finish(sums: Float64Array, picture: Size): number;
}

/** A learned model on this machine: the file (external data lies beside it) and its preprocessing. */
export interface LearnedModel {
  readonly path: string;
  /** SHA-256 of the file, in hexadecimal; each worker keeps one session per digest. */
  readonly digest: string;
  readonly preprocessing: Preprocessing;
}

/** The inputs and outputs an ONNX file declares. A dynamic dimension is its name, or null. */
export interface ModelInterface {
  readonly inputs: readonly ModelValue[];
  readonly outputs: readonly ModelValue[];
}

export interface ModelValue {
  readonly name: string;
  readonly type: string;
  readonly shape: readonly (number | string | null)[];
}

export interface ScoreRequest {
  /** The IQA-PyTorch identifier, such as `ssim`: chooses the shipped metric, and names the tool in errors. */
  readonly tool: string;
  readonly picture: Picture;
  readonly reference?: Picture;
  /** Runs this file instead of a shipped metric. */
  readonly model?: LearnedModel;
  readonly signal?: AbortSignal;
}

export interface EncodeOptions {
  readonly format: 'png' | 'jpeg' | 'webp' | 'avif';
  /** 1 to 100; without meaning for png. */
  readonly quality?: number | undefined;
  /** Makes the file as small as the encoder can: mozjpeg for JPEG, the slowest WebP, and this effort (0 to 9) for AVIF. */
  readonly effort?: number | undefined;
}

/** Decodes and scores pictures away from the event loop. Every refusal is a Fault naming the tool and the picture. */
export interface IqaEngine {
  /**
   * Waits until there is memory to decode these pictures in; the result releases it. RateLimited when the tenant's
   * requests wait too long; refuses what `decode` would refuse by the header.
   */
  reserve(
    files: readonly { readonly bytes: Uint8Array; readonly name: string }[],
    tenant: string,
    signal?: AbortSignal,
  ): Promise<() => void>;
  /** InvalidInput for what is not a readable picture, TooLarge beyond the byte limit; both before decoding. */
  decode(bytes: Uint8Array, name?: string, signal?: AbortSignal): Promise<Picture>;
  /** Reuses a picture's memory for the next one; the picture must not be used any more. Optional: otherwise it is garbage-collected. */
  release(picture: Picture): void;
  /** The raw score. InvalidInput for pictures the tool cannot score, ToolExecutionError when it failed. */
  score(request: ScoreRequest): Promise<number>;
  /** The metric's map over the picture: ssim, gmsd, fsim and vsi. */
  map(request: ScoreRequest): Promise<QualityMap>;
  /** Encodes a picture file: for maps, and to search the quality a picture can be compressed to. */
  encode(pixels: Pixels, options: EncodeOptions): Promise<Uint8Array>;
  /** The inputs and outputs of a model file; InvalidInput when it is no ONNX model. */
  inspect(path: string): Promise<ModelInterface>;
  /** Names and versions of decoder and runtime, for hallmarks. */
  versions(): Readonly<Record<string, string>>;
  close(): Promise<void>;
}
