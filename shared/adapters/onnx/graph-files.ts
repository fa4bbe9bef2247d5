import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';
import type { BuiltGraph } from '../../iqa/graph.ts';

/**
 * Keeps a graph as the file `<digest>.onnx` of a folder and returns its path: Netron and the like open there what a
 * score was computed by. Nothing reads it back: only a built graph knows its digest. A file that differs is written anew.
 */
export const keepGraph = (folder: string, { digest, bytes }: Pick<BuiltGraph, 'digest' | 'bytes'>): string => {
  const path = join(folder, `${digest}.onnx`);
  if (holds(path, bytes)) return path;
  mkdirSync(folder, { recursive: true });
  // Other threads and processes may be writing the same file: each moves a whole one into place.
  const temporary = `${path}.${process.pid}-${threadId}`;
  writeFileSync(temporary, bytes);
  renameSync(temporary, path);
  return path;
};

const holds = (path: string, bytes: Uint8Array): boolean => {
  try {
    return readFileSync(path).equals(bytes);
  } catch {
    return false;
  }
};
