import type { Picture } from '../../iqa/pixels.ts';
import { collectGarbage, HUGE_BYTES } from './collect-garbage.ts';
import { createWeights, type Weight } from './weights.ts';

/** Keeps the shared memory of released pictures for the next ones. */
export interface PictureMemory {
  /** Memory a decoder may use, if it is large enough. */
  lend(): SharedArrayBuffer | undefined;
  /** The picture as the caller keeps it. `lent` is the memory it was decoded into, or undefined. */
  receive(picture: Picture, lent: SharedArrayBuffer | undefined): Picture;
  release(picture: Picture): void;
  /** Calls back when the memory of released pictures has gone back to the system, where they were huge. */
  whenFree(then: () => void): void;
}

// Two pictures of 4K for each of two cores; the memory of a huge one goes back to the system.
const keepBytes = HUGE_BYTES;
const COLLECT_MS = 100;

export function createPictureMemory(keep: number): PictureMemory {
  const free: SharedArrayBuffer[] = [];
  const weigh = createWeights();
  const weights = new WeakMap<Picture, Weight>();
  const waiting: (() => void)[] = [];
  let last: NodeJS.Timeout | undefined;
  const collect = (): void => {
    last = undefined;
    collectGarbage();
    for (const then of waiting.splice(0)) then();
  };
  return {
    lend: () => free.pop(),
    receive(picture, lent) {
      const { width, height, data } = picture.pixels;
      const own = lent
        ? { ...picture, pixels: { width, height, data: new Uint8Array(lent, 0, data.length) } }
        : picture;
      weights.set(own, weigh(data.length));
      return own;
    },
    release(picture) {
      const { buffer } = picture.pixels.data;
      if (!weights.delete(picture) || !(buffer instanceof SharedArrayBuffer)) return;
      free.push(buffer);
      while (free.length > keep || sizeOf(free) > keepBytes) free.shift();
      // Later, when neither the request nor a worker holds it any more.
      if (buffer.byteLength <= HUGE_BYTES) return;
      clearTimeout(last);
      last = setTimeout(collect, COLLECT_MS).unref();
    },
    whenFree(then) {
      if (last === undefined) then();
      else waiting.push(then);
    },
  };
}

const sizeOf = (buffers: readonly SharedArrayBuffer[]): number =>
  buffers.reduce((bytes, { byteLength }) => bytes + byteLength, 0);
