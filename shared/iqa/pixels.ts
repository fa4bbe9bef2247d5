/** A decoded picture: interleaved 8-bit RGB, row by row, in memory that threads can share. */
export interface Pixels {
  readonly width: number;
  readonly height: number;
  /** width * height * 3 bytes; in a SharedArrayBuffer if an engine decoded them. */
  readonly data: Uint8Array;
}

/** A decoded file. `notes` lists what decoding changed: alpha flattened, first of several frames, rotated by EXIF. */
export interface Picture {
  readonly name: string;
  readonly format: string;
  readonly pixels: Pixels;
  readonly notes: readonly string[];
}

/** A metric's value at each position of a picture; 1 is best. */
export interface QualityMap {
  readonly width: number;
  readonly height: number;
  readonly values: Float32Array;
  /** Value (x, y) belongs to the pixel (left + x * step, top + y * step). */
  readonly left: number;
  readonly top: number;
  readonly step: number;
}
