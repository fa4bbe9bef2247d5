import type { CallExtras } from '../../../shared/kernel/ports.ts';
import type { CallContext } from './call-context.ts';

const BEAT_MS = 5000;

export interface ProgressReport {
  readonly extras: Pick<CallExtras, 'progress'>;
  stop(): void;
}

/**
 * Reports the progress of a call to a client that asked for it; without progress from the tool, reports that it is
 * running.
 */
export const reportProgress = (ctx: CallContext, beatMs = BEAT_MS): ProgressReport => {
  const token = ctx.mcpReq._meta?.progressToken;
  if (token === undefined) return { extras: {}, stop: () => {} };
  let last = Number.NEGATIVE_INFINITY;
  let isOver = false;
  const send = (progress: number, more: { readonly total?: number; readonly message?: string }): void => {
    // The protocol requires increasing values.
    if (isOver || !(progress > last)) return;
    last = progress;
    const params = { progressToken: token, progress, ...more };
    // Ignored: the signal covers clients that disconnected.
    ctx.mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {});
  };
  let beats = 0;
  const timer = setInterval(() => {
    beats += 1;
    send(beats, { message: `running for ${(beats * beatMs) / 1000} s` });
  }, beatMs);
  const stop = (): void => clearInterval(timer);
  return {
    extras: {
      progress(done, total, note) {
        stop();
        send(done, { total, message: note });
      },
    },
    stop() {
      isOver = true;
      stop();
    },
  };
};
