import type { Blobs } from '../../kernel/ports.ts';
import { checkBlobKey, sortKeys } from '../blob-key.ts';

/** Blobs in memory. */
export const memoryBlobs = (): Blobs => {
  const stored = new Map<string, Uint8Array>();
  return {
    async get(key) {
      checkBlobKey(key);
      return stored.get(key)?.slice();
    },
    async put(key, bytes) {
      checkBlobKey(key);
      stored.set(key, Uint8Array.from(bytes));
    },
    async remove(key) {
      checkBlobKey(key);
      stored.delete(key);
    },
    async list(prefix) {
      return sortKeys([...stored.keys()].filter((key) => key.startsWith(prefix)));
    },
  };
};
