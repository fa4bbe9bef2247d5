import type { TryPicture } from '../../iqa/try-picture.ts';
import { Fault } from '../../kernel/errors.ts';
import { askProcess } from './ask-process.ts';

/** As long as scoring itself may take. */
const TIMEOUT_MS = 900_000;

/** Tries pictures in a process of their own: one that ends it is known to be the cause, and took nothing with it. */
export const tryInProcess =
  (child = new URL('./trial-child.ts', import.meta.url), timeoutMs = TIMEOUT_MS): TryPicture =>
  async (trial) => {
    const asked = await askProcess<'tried'>(child, trial, timeoutMs);
    if (!('ended' in asked)) return;
    const name = trial.image.name ?? 'the picture';
    throw new Fault('InvalidInput', `${name} ${asked.ended} when it was scored apart; try a smaller picture`, {
      image: name,
    });
  };
