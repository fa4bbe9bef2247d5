import { assembleModule, type WasmFunction } from './assemble.ts';

type Exports = Readonly<Record<string, (...numbers: readonly number[]) => number>>;

/** Vector code with a memory of its own, in which callers lay out rows. It is not for two callers at a time. */
export interface Kernels {
  run(name: string, ...numbers: readonly number[]): number;
  /** The memory, of at least so many bytes. Views of before are detached when it grew. */
  reserve(bytes: number): ArrayBuffer;
}

const PAGE = 65_536;

/** Compiles functions; the memory grows with the largest picture and stays so. */
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
