import { LRUCache } from 'lru-cache';
import { Fault } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/ports.ts';
import type { SentenceEncoder } from '../../search/sentence-encoder.ts';
import { ENCODER_DIGESTS, type EncoderFiles } from './encoder-files.ts';
import type { EncodeAsk, EncodeReply } from './encoder-worker.ts';
import { type NativeThread, startNativeThread } from './native-thread.ts';

interface Job {
  readonly ask: EncodeAsk;
  resolve(vector: Float32Array): void;
  reject(thrown: unknown): void;
}

/** A request is short; of a longer one the first words are read, as the time grows with their number. */
const REQUEST_PIECES = 48;
const TOOL_PIECES = 64;
/** What a request waits at most for its vector, when the machine is busy. */
const REQUEST_MS = 1000;
const REMEMBERED = 500;
/** What closing waits at most for native code: opening the model takes long on a busy machine. */
const CLOSE_MS = 30_000;
// A change of how texts are read or weights rounded makes other vectors: count it up.
const REVISION = 1;

/**
 * all-MiniLM-L6-v2 on a thread of its own, which starts so long after the first use and then does requests before tools.
 * Where its files are missing, altered or do not run, that is logged once and everything goes on without it.
 */
export const sentenceEncoder = (files: EncoderFiles, log: Log, startAfterMs = 0): SentenceEncoder => {
  const [requests, tools]: [Job[], Job[]] = [[], []];
  const remembered = new LRUCache<string, Promise<Float32Array>>({ max: REMEMBERED });
  let thread: NativeThread | undefined;
  let starting: NodeJS.Timeout | undefined;
  let state: 'idle' | 'loading' | 'ready' | 'failed' | 'closed' = 'idle';
  let current: Job | undefined;
  let nextId = 1;

  const next = (): void => {
    if (state !== 'ready' || current !== undefined) return;
    current = requests.shift() ?? tools.shift();
    // An idle thread does not keep the process alive.
    if (current === undefined) thread?.worker.unref();
    else {
      thread?.worker.ref();
      thread?.worker.postMessage(current.ask);
    }
  };
  const settle = (reply: Extract<EncodeReply, { readonly id: number }>): void => {
    const job = current;
    current = undefined;
    if ('vector' in reply) job?.resolve(reply.vector);
    else job?.reject(new Fault('ToolExecutionError', `the sentence encoder failed: ${reply.error}`));
    next();
  };
  const end = (reason: string, to: 'failed' | 'closed'): void => {
    if (state === 'failed' || state === 'closed') return;
    state = to;
    clearTimeout(starting);
    if (to === 'failed') log.warn('the sentence encoder does not work here; tools are ranked without it', { reason });
    for (const job of [current, ...requests.splice(0), ...tools.splice(0)]) job?.reject(gone(reason));
    current = undefined;
  };
  const start = (): void => {
    if (state !== 'idle') return;
    state = 'loading';
    if (startAfterMs === 0) open();
    else starting = setTimeout(open, startAfterMs).unref();
  };
  const open = (): void => {
    if (state !== 'loading') return;
    thread = startNativeThread(new URL('./encoder-worker.ts', import.meta.url), files);
    const { worker } = thread;
    // Nobody waits for it: a process that has nothing else to do may end meanwhile.
    worker.unref();
    worker.on('error', (error) => end(error.message, 'failed'));
    worker.on('exit', (code) => end(`its thread ended with code ${code}`, 'failed'));
    worker.on('message', (reply: EncodeReply) => {
      if ('id' in reply) return settle(reply);
      if ('failed' in reply) return end(reply.failed, 'failed');
      if (state === 'loading') state = 'ready';
      next();
    });
  };
  const run = (queue: Job[], text: string, pieces: number): Promise<Float32Array> => {
    start();
    const { promise, resolve, reject } = Promise.withResolvers<Float32Array>();
    if (state === 'failed' || state === 'closed') reject(gone(state));
    else queue.push({ ask: { id: nextId++, text, pieces }, resolve, reject });
    next();
    return promise;
  };

  return {
    id: `minilm-l6-v2.${ENCODER_DIGESTS.weights.slice(0, 12)}.${REVISION}`,
    async encodeRequest(text) {
      start();
      if (state !== 'ready') return undefined;
      const read = text.slice(0, REQUEST_PIECES * 16);
      const known = remembered.get(read) ?? run(requests, read, REQUEST_PIECES);
      remembered.set(read, known);
      return within(known, REQUEST_MS);
    },
    encodeTool: (text) => run(tools, text, TOOL_PIECES),
    async close() {
      end('closing', 'closed');
      await thread?.end(CLOSE_MS);
    },
  };
};

const gone = (reason: string): Fault => new Fault('Unavailable', `the sentence encoder is not there (${reason})`);

const within = async (vector: Promise<Float32Array>, ms: number): Promise<Float32Array | undefined> => {
  const late = Promise.withResolvers<undefined>();
  const timer = setTimeout(late.resolve, ms, undefined);
  try {
    return await Promise.race([vector.catch(() => undefined), late.promise]);
  } finally {
    clearTimeout(timer);
  }
};
