import { createHash } from 'node:crypto';
import { nextTurn } from './end-of-turn.ts';

const SLICE_BYTES = 4 * 2 ** 20;

/** The SHA-256 of as many bytes as a picture may have: between slices others get their turn. */
export const sha256InSlices = async (bytes: Uint8Array): Promise<string> => {
  const hash = createHash('sha256');
  for (let at = 0; at < bytes.length; at += SLICE_BYTES) {
    hash.update(bytes.subarray(at, at + SLICE_BYTES));
    if (at + SLICE_BYTES < bytes.length) await nextTurn();
  }
  return hash.digest('hex');
};
