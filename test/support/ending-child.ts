import { setTimeout as sleep } from 'node:timers/promises';
import { onnxEngine } from '../../shared/adapters/onnx/engine.ts';
import type { Picture } from '../../shared/iqa/engine.ts';
import { recordingLog } from './recording-log.ts';

/** A process that ends in the given way while its image workers run a network or code that never returns. */
const ends: Readonly<Record<string, () => unknown>> = {
  'process.exit': () => process.exit(0),
  'an exception': () => {
    throw new Error('an exception of the test');
  },
  close: () => engine.close(),
  endless: () => engine.close(),
};

const nativeCode = new URL('../../shared/adapters/onnx/native-code.ts', import.meta.url);
const endless = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort } from 'node:worker_threads';
    import { openNativeThread } from '${nativeCode}';
    openNativeThread().native.run(() => new Promise(() => {}));
    parentPort.postMessage({ warning: 'it has begun', fields: {} });
    parentPort.on('message', () => {});
  `)}`,
);

const how = process.argv[2] ?? '';
const log = recordingLog();
const engine = onnxEngine(
  how === 'endless' ? { log, workers: 1, workerUrl: endless, closeMs: 20 } : { log, workers: 2 },
);
const grey = (side: number): Picture => ({
  name: 'grey.png',
  format: 'png',
  pixels: { width: side, height: side, data: new Uint8Array(new SharedArrayBuffer(side * side * 3)).fill(128) },
  notes: [],
});
const score = (side: number): Promise<number> =>
  engine.score({ tool: 'lpips', picture: grey(side), reference: grey(side) });

if (how === 'endless') {
  score(64).catch(() => {});
  while (log.lines.length === 0) await sleep(5);
} else {
  // Loads the network, then runs it without a pause.
  await score(400);
  for (let turn = 0; turn < 100; turn++) score(400).catch(() => {});
}
setTimeout(() => ends[how]?.(), 50);
