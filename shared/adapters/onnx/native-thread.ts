import { writeSync } from 'node:fs';
import { type ResourceLimits, Worker } from 'node:worker_threads';
import { NativeState, type NativeThreadData } from './native-code.ts';

export interface NativeThread {
  readonly worker: Worker;
  /** Ends it when it leaves native code. One that is still inside after this long runs on, and keeps nothing alive. */
  end(ms: number): Promise<void>;
}

/** Starts a thread that calls ONNX Runtime or sharp, and opens with `openNativeThread`. */
export const startNativeThread = <Settings>(
  url: URL,
  settings: Settings,
  resourceLimits?: ResourceLimits,
): NativeThread => {
  const state = new Int32Array(new SharedArrayBuffer(4));
  state[0] = NativeState.inside;
  const worker = new Worker(url, {
    workerData: { settings, state } satisfies NativeThreadData<Settings>,
    ...(resourceLimits && { resourceLimits }),
  });
  const { promise: exited, resolve } = Promise.withResolvers<void>();
  watch(state);
  worker.once('exit', () => {
    unwatch(state);
    resolve();
  });
  return {
    worker,
    async end(ms) {
      if (askToEnd(state) !== NativeState.asked) {
        await worker.terminate();
        return;
      }
      const late = Promise.withResolvers<void>();
      const timer = setTimeout(late.resolve, ms);
      await Promise.race([exited, late.promise]);
      clearTimeout(timer);
      worker.unref();
      if (threads.has(state)) threads.set(state, 0);
    },
  };
};

/** Keeps it from entering native code; answers where it is now. */
const askToEnd = (state: Int32Array): number => {
  for (;;) {
    const was = Atomics.compareExchange(state, 0, NativeState.outside, NativeState.ended);
    if (was === NativeState.outside) return NativeState.ended;
    if (was !== NativeState.inside) return was;
    if (Atomics.compareExchange(state, 0, NativeState.inside, NativeState.asked) === NativeState.inside)
      return NativeState.asked;
  }
};

/** How long the end of a process waits for native code, which takes long on a busy machine. */
const EXIT_MS = 30_000;

/** The end of a process ends its threads, wherever they are: for each, how long that waits for it. */
const threads = new Map<Int32Array, number>();

const watch = (state: Int32Array): void => {
  if (threads.size === 0) process.on('exit', endThreads);
  threads.set(state, EXIT_MS);
};

const unwatch = (state: Int32Array): void => {
  threads.delete(state);
  if (threads.size === 0) process.off('exit', endThreads);
};

const endThreads = (): void => {
  const began = Date.now();
  const inside = [...threads].filter(([state]) => askToEnd(state) === NativeState.asked);
  for (const [state, ms] of inside) {
    const left = Math.max(0, began + ms - Date.now());
    if (Atomics.wait(state, 0, NativeState.asked, left) !== 'timed-out') continue;
    writeSync(2, 'an image or model computation does not end; its process is killed\n');
    process.kill(process.pid, 'SIGKILL');
  }
};
