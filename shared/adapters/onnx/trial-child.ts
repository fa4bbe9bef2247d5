import { writeFileSync } from 'node:fs';
import { type Trial, tryPictureOn } from '../../iqa/try-picture.ts';
import { endWithParent } from '../node/orphan-watch.ts';
import { onnxEngine } from './engine.ts';

endWithParent();
try {
  // Should memory run out, Linux ends this process and not the server.
  writeFileSync('/proc/self/oom_score_adj', '1000');
} catch {
  // Other systems choose by themselves.
}
const quiet = { info: () => {}, warn: () => {}, error: () => {} };

process.once('message', async (trial: Trial) => {
  // A refusal does no harm either: scoring gives it again.
  await tryPictureOn(onnxEngine({ log: quiet, workers: 1 }))(trial).catch(() => {});
  process.send?.('tried');
});
