/** A decoded picture: interleaved 8-bit RGB, row by row, in memory that threads can share. */
export interface Pixels {
  readonly width: number;
  readonly height: number;
  /** width * height * 3 bytes; backed by a SharedArrayBuffer when it came from an engine. */
  readonly data: Uint8Array;
}

/** What decoding found. `notes` says what it had to decide: alpha flattened, first of several frames, turned by EXIF. */
export interface Picture {
  readonly name: string;
  readonly format: string;
  readonly pixels: Pixels;
  readonly notes: readonly string[];
}

/** A number for each place of a picture, as the metric's own map has it: 1 is best. */
export interface QualityMap {
  readonly width: number;
  readonly height: number;
  readonly values: Float32Array;
  /** Value (x, y) lies over picture pixel (left + x * step, top + y * step). */
  readonly left: number;
  readonly top: number;
  readonly step: number;
}
