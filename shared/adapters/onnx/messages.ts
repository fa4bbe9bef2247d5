import type { EncodeOptions, LearnedModel, ModelInterface } from '../../iqa/engine.ts';
import type { RowRange } from '../../iqa/metric.ts';
import type { Picture, Pixels, QualityMap } from '../../iqa/pixels.ts';
import type { FaultCode, FaultDetails } from '../../kernel/errors.ts';

/** What a worker can be asked, and what each answers. Pictures lie in shared memory, so messages stay small. */
export interface Jobs {
  readonly decode: {
    readonly ask: { readonly bytes: Uint8Array; readonly name: string; readonly memory?: SharedArrayBuffer };
    readonly answer: { readonly picture: Picture; readonly usedMemory: boolean };
  };
  /** How many bytes it will take, by its header. */
  readonly measure: {
    readonly ask: { readonly bytes: Uint8Array; readonly name: string };
    readonly answer: number;
  };
  readonly encode: {
    readonly ask: { readonly pixels: Pixels; readonly options: EncodeOptions };
    readonly answer: Uint8Array;
  };
  /** The sums of a strip metric over some rows, or the single score of another metric. */
  readonly metric: { readonly ask: MetricAsk; readonly answer: Float64Array };
  /** The sums of several metrics over bytes, in one pass over some rows. */
  readonly pass: {
    readonly ask: { readonly tools: readonly string[]; readonly picture: Pixels; readonly rows: RowRange };
    readonly answer: readonly Float64Array[];
  };
  readonly map: { readonly ask: MetricAsk; readonly answer: QualityMap };
  readonly model: { readonly ask: PicturesAsk & { readonly model: LearnedModel }; readonly answer: number };
  readonly inspect: { readonly ask: { readonly path: string }; readonly answer: ModelInterface };
}

export interface PicturesAsk {
  readonly tool: string;
  readonly picture: Pixels;
  readonly reference?: Pixels;
}

export interface MetricAsk extends PicturesAsk {
  readonly rows?: RowRange;
}

export type JobKind = keyof Jobs;

export interface JobMessage<Kind extends JobKind = JobKind> {
  readonly id: number;
  readonly kind: Kind;
  readonly ask: Jobs[Kind]['ask'];
  /** One shared number that becomes 1 when nobody waits for the answer any more. */
  readonly givenUp: Int32Array;
}

export type Reply =
  | { readonly id: number; readonly answer: unknown }
  | { readonly id: number; readonly failure: Failure }
  | { readonly warning: string; readonly fields: Readonly<Record<string, unknown>> };

/** An error as it travels between threads. */
export interface Failure {
  readonly code?: FaultCode;
  readonly message: string;
  readonly details?: FaultDetails;
  readonly stack?: string;
}
