import { parentPort } from 'node:worker_threads';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { messageOf } from '../../kernel/errors.ts';
import { createWordPiece } from '../../search/word-piece.ts';
import { collectGarbage } from './collect-garbage.ts';
import { type EncoderFiles, readEncoderFile } from './encoder-files.ts';
import { buildMiniLm } from './minilm-graph.ts';
import { openNativeThread } from './native-code.ts';

/** What the worker is asked: the vector of at most so many word pieces of a text. */
export interface EncodeAsk {
  readonly id: number;
  readonly text: string;
  readonly pieces: number;
}

/** First whether the model could be loaded, then an answer to each ask. */
export type EncodeReply =
  | { readonly loaded: true }
  | { readonly failed: string }
  | { readonly id: number; readonly vector: Float32Array }
  | { readonly id: number; readonly error: string };

const { settings: files, native } = openNativeThread<EncoderFiles>();
const reply = (message: EncodeReply): void => parentPort?.postMessage(message);

const load = async (): Promise<(ask: EncodeAsk) => Promise<Float32Array>> => {
  const wordPiece = createWordPiece(JSON.parse(new TextDecoder().decode(readEncoderFile(files, 'tokenizer'))));
  const model = buildMiniLm(readEncoderFile(files, 'weights')).bytes;
  const session = await native.run(() => InferenceSession.create(model, options));
  return async ({ text, pieces }) => {
    const numbers = wordPiece(text, pieces);
    const row = (values: Iterable<number>): Tensor =>
      new Tensor('int64', BigInt64Array.from(values, BigInt), [numbers.length]);
    const { vector } = await native.run(() => session.run({ pieces: row(numbers), positions: row(numbers.keys()) }));
    return new Float32Array(vector?.data as Float32Array);
  };
};

const options: InferenceSession.SessionOptions = {
  graphOptimizationLevel: 'all',
  executionMode: 'sequential',
  // One text at a time of changing length: an arena would keep the memory of the longest.
  enableCpuMemArena: false,
  enableMemPattern: false,
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  logSeverityLevel: 3,
};

native.loaded();
try {
  const encode = await load();
  // The files and the graph are 100 MB of buffers.
  collectGarbage();
  parentPort?.on('message', async (ask: EncodeAsk) => {
    try {
      reply({ id: ask.id, vector: await encode(ask) });
    } catch (thrown) {
      reply({ id: ask.id, error: messageOf(thrown) });
    }
  });
  reply({ loaded: true });
} catch (thrown) {
  reply({ failed: messageOf(thrown) });
}
