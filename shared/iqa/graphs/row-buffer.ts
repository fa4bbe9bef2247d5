/** Consecutive rows of the two planes s = x + y and d = x - y. */
export interface PlaneRows {
  readonly rows: number;
  readonly sum: Float32Array;
  readonly difference: Float32Array;
}

/** A sliding window over the rows of a picture, in memory that is allocated once. */
export interface RowBuffer {
  /** The row after the last. */
  to(): number;
  /** Adds rows at the end, to be filled by the caller. */
  reserve(rows: number): PlaneRows;
  view(from: number, to: number): PlaneRows;
  /** Discards the rows before `from`. */
  drop(from: number): void;
}

export function createRowBuffer(width: number, firstRow: number, capacity: number): RowBuffer {
  const planes = [new Float32Array(capacity * width), new Float32Array(capacity * width)] as const;
  let first = firstRow;
  let end = firstRow;
  const view = (from: number, to: number): PlaneRows => {
    const [start, stop] = [(from - first) * width, (to - first) * width];
    return { rows: to - from, sum: planes[0].subarray(start, stop), difference: planes[1].subarray(start, stop) };
  };
  return {
    to: () => end,
    reserve(rows) {
      if (end - first + rows > capacity)
        throw new RangeError(`${rows} rows do not fit the buffer: ${end - first} of ${capacity} are used`);
      end += rows;
      return view(end - rows, end);
    },
    view,
    drop(from) {
      const kept = Math.min(Math.max(first, from), end);
      for (const plane of planes) plane.copyWithin(0, (kept - first) * width, (end - first) * width);
      first = kept;
    },
  };
}
