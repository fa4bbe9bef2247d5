import { workerData } from 'node:worker_threads';
import { Fault } from '../../kernel/errors.ts';

/**
 * Where a thread is, as a number that it shares with the thread that started it. ONNX Runtime and sharp abort the whole
 * process when their thread is ended while they run, so it is ended only when `ended`, or by the thread itself.
 */
export const NativeState = { outside: 0, inside: 1, asked: 2, ended: 3 } as const;

export interface NativeThreadData<Settings> {
  readonly settings: Settings;
  readonly state: Int32Array;
}

export interface NativeCode {
  /** Runs what calls native code; refused once the thread shall end. */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** To be called when the native modules are loaded: until then the thread counts as inside them. */
  loaded(): void;
}

/** In the thread: what it was started with, and the only way into native code. */
export const openNativeThread = <Settings>(): { readonly settings: Settings; readonly native: NativeCode } => {
  const { settings, state } = workerData as NativeThreadData<Settings>;
  let running = 1;
  const leave = (): void => {
    running--;
    if (running > 0 || Atomics.compareExchange(state, 0, NativeState.inside, NativeState.outside) !== NativeState.asked)
      return;
    setEnded(state);
    process.exit();
  };
  // A thread that throws is in no native code any more.
  process.once('exit', () => setEnded(state));
  const run: NativeCode['run'] = async (work) => {
    const was = Atomics.compareExchange(state, 0, NativeState.outside, NativeState.inside);
    if (was === NativeState.asked || was === NativeState.ended) throw ending();
    running++;
    try {
      return await work();
    } finally {
      // sharp calls back from its own code: in a later turn that code has returned.
      setImmediate(leave);
    }
  };
  return { settings, native: { run, loaded: () => void setImmediate(leave) } };
};

const setEnded = (state: Int32Array): void => {
  Atomics.store(state, 0, NativeState.ended);
  Atomics.notify(state, 0);
};

const ending = (): Fault => new Fault('Unavailable', 'this thread is ending and runs no more models');
