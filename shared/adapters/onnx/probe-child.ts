import { probeOn } from '../../iqa/models.ts';
import { endWithParent } from '../node/orphan-watch.ts';
import { onnxEngine } from './engine.ts';
import { toFailure } from './failure.ts';
import type { ProbeAsk, ProbeReply } from './probe-process.ts';

endWithParent();
const quiet = { info: () => {}, warn: () => {}, error: () => {} };

process.once('message', async ({ tool, model, exportedSizes }: ProbeAsk) => {
  const answer = (reply: ProbeReply): void => void process.send?.(reply);
  try {
    answer({ probed: await probeOn(onnxEngine({ log: quiet, workers: 1 }))(tool, model, exportedSizes) });
  } catch (thrown) {
    answer({ failure: toFailure(thrown) });
  }
});
