import type { LearnedModel } from '../../iqa/engine.ts';
import type { IqaTool } from '../../iqa/metadata.ts';
import { probeOn } from '../../iqa/models.ts';
import { endWithParent } from '../node/orphan-watch.ts';
import { onnxEngine } from './engine.ts';
import { toFailure } from './failure.ts';
import type { ProbeReply } from './probe-process.ts';

endWithParent();
const quiet = { info: () => {}, warn: () => {}, error: () => {} };

process.once('message', async ({ tool, model }: { readonly tool: IqaTool; readonly model: LearnedModel }) => {
  const answer = (reply: ProbeReply): void => void process.send?.(reply);
  try {
    answer({ probed: await probeOn(onnxEngine({ log: quiet, workers: 1 }))(tool, model) });
  } catch (thrown) {
    answer({ failure: toFailure(thrown) });
  }
});
