import { assembleModule, type WasmFunction } from './assemble.ts';

type Exports = Readonly<Record<string, (...numbers: readonly number[]) => number>>;

/** Compiled vector code with its own memory, which callers lay out. Not reentrant: one caller at a time. */
export interface Kernels {
  run(name: string, ...numbers: readonly number[]): number;
  /** The memory, grown to at least this many bytes; growing detaches earlier views. */
  reserve(bytes: number): ArrayBuffer;
}

const PAGE = 65_536;

/** Compiles functions into a module; its memory grows to fit the largest picture and never shrinks. */
export const instantiate = (functions: readonly WasmFunction[]): Kernels => {
  const memory = new WebAssembly.Memory({ initial: 1 });
  const module = new WebAssembly.Module(assembleModule(functions));
  const exported = new WebAssembly.Instance(module, { env: { memory } }).exports as Exports;
  return {
    run: (name, ...numbers) => (exported[name] as Exports[string])(...numbers),
    reserve(bytes) {
      const missing = bytes - memory.buffer.byteLength;
      if (missing > 0) memory.grow(Math.ceil(missing / PAGE));
      return memory.buffer as ArrayBuffer;
    },
  };
};
