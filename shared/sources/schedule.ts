import { messageOf } from '../kernel/errors.ts';
import { adoptConfigured } from './adopt-configured.ts';
import type { Configured } from './configured.ts';
import type { SourcesContext } from './context.ts';
import { refreshDue } from './due-sources.ts';

const LOOK_MS = 30_000;
const CLOSE_MS = 2000;

export interface Schedule {
  /** Resolves when the sources that were due at the start have been refreshed. */
  readonly started: Promise<void>;
  stop(): Promise<void>;
}

/** Refreshes sources when they are due, for as long as the process lives. */
export const scheduleSources = (context: SourcesContext, configured: Configured): Schedule => {
  let running: Promise<void> | undefined;
  const look = (): Promise<void> => {
    running ??= refreshDue(context)
      .then(
        () => {},
        (error: unknown) => context.log.error('sources not refreshed', { error: messageOf(error) }),
      )
      .finally(() => {
        running = undefined;
      });
    return running;
  };
  const started = adoptConfigured(context, configured).then(look, (error: unknown) =>
    context.log.error('configured sources not read', { error: messageOf(error) }),
  );
  const stop = context.timers.every(LOOK_MS, () => void look());
  return {
    started,
    async stop() {
      stop();
      // Open connections are closed, so that a source that hangs does not keep the process alive.
      await Promise.race([context.sources.close(), new Promise((resolve) => setTimeout(resolve, CLOSE_MS).unref())]);
      await Promise.race([
        started.then(() => running),
        new Promise((resolve) => setTimeout(resolve, CLOSE_MS).unref()),
      ]);
    },
  };
};
