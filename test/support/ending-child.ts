import { onnxEngine } from '../../shared/adapters/onnx/engine.ts';
import type { Picture } from '../../shared/iqa/engine.ts';
import { recordingLog } from './recording-log.ts';

/** A process that ends while both of its image workers run a network: by itself or in the way that it is told. */
const ends: Readonly<Record<string, () => unknown>> = {
  'process.exit': () => process.exit(0),
  'an exception': () => {
    throw new Error('an exception of the test');
  },
  close: () => engine.close(),
};

const engine = onnxEngine({ log: recordingLog(), workers: 2 });
const grey = (side: number): Picture => ({
  name: 'grey.png',
  format: 'png',
  pixels: { width: side, height: side, data: new Uint8Array(new SharedArrayBuffer(side * side * 3)).fill(128) },
  notes: [],
});
const score = (side: number): Promise<number> =>
  engine.score({ tool: 'lpips', picture: grey(side), reference: grey(side) });

// Both workers have loaded the network, and then run it without a pause.
await Promise.all([score(64), score(64)]);
for (let lane = 0; lane < 3; lane++)
  void (async () => {
    for (;;) await score(500);
  })().catch(() => {});
setTimeout(() => ends[process.argv[2] ?? '']?.(), 50);
