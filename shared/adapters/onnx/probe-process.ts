import type { LearnedModel } from '../../iqa/engine.ts';
import type { IqaTool } from '../../iqa/metadata.ts';
import type { Size } from '../../iqa/metric.ts';
import type { ProbeModel, ProbeResult } from '../../iqa/models.ts';
import { Fault } from '../../kernel/errors.ts';
import { askProcess } from './ask-process.ts';
import { fromFailure } from './failure.ts';
import type { Failure } from './messages.ts';

const TIMEOUT_MS = 180_000;

/** What the process of a probe is asked. */
export interface ProbeAsk {
  readonly tool: IqaTool;
  readonly model: LearnedModel;
  readonly exportedSizes?: readonly Size[] | undefined;
}

/** What the process of a probe answers. */
export type ProbeReply = { readonly probed: ProbeResult } | { readonly failure: Failure };

/** Tries models in a process of their own: one that loops or crashes takes nothing with it. */
export const probeInProcess =
  (timeoutMs = TIMEOUT_MS): ProbeModel =>
  async (tool, model, exportedSizes) => {
    const ask: ProbeAsk = { tool, model, exportedSizes };
    const asked = await askProcess<ProbeReply>(new URL('./probe-child.ts', import.meta.url), ask, timeoutMs);
    if ('ended' in asked)
      throw new Fault(
        'InvalidInput',
        `the model of ${tool.name} ${asked.ended} on the sample pictures; export it anew`,
        {
          tool: tool.name,
        },
      );
    if ('probed' in asked.reply) return asked.reply.probed;
    throw fromFailure(asked.reply.failure, 'the model');
  };
