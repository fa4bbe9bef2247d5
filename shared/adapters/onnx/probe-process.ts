import { fork } from 'node:child_process';
import type { LearnedModel } from '../../iqa/engine.ts';
import type { IqaTool } from '../../iqa/metadata.ts';
import type { Size } from '../../iqa/metric.ts';
import type { Probed, ProbeModel } from '../../iqa/models.ts';
import { Fault } from '../../kernel/errors.ts';
import { cleanEnvironment } from '../node/clean-environment.ts';
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
export type ProbeReply = { readonly probed: Probed } | { readonly failure: Failure };

/** Tries models in a process of their own: one that loops or crashes takes nothing with it. */
export const probeInProcess =
  (timeoutMs = TIMEOUT_MS): ProbeModel =>
  (tool, model, exportedSizes) =>
    new Promise((resolve, reject) => {
      const child = fork(new URL('./probe-child.ts', import.meta.url), {
        stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
        env: cleanEnvironment(),
      });
      const late = setTimeout(() => {
        settle(() => reject(refusal(`took longer than ${timeoutMs / 1000} s on the sample pictures`)));
      }, timeoutMs);
      const refusal = (what: string): Fault =>
        new Fault('InvalidInput', `the model of ${tool.name} ${what}; export it anew`, { tool: tool.name });
      const settle = (answer: () => void): void => {
        clearTimeout(late);
        child.removeAllListeners();
        child.kill('SIGKILL');
        answer();
      };
      child.once('message', (reply: ProbeReply) =>
        settle(() => ('probed' in reply ? resolve(reply.probed) : reject(fromFailure(reply.failure, 'the model')))),
      );
      child.once('error', (thrown) => settle(() => reject(thrown)));
      child.once('exit', (code, signal) => settle(() => reject(refusal(`ended its process (${signal ?? code})`))));
      child.send({ tool, model, exportedSizes } satisfies ProbeAsk);
    });
