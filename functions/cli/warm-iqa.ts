import { chooseTools } from '../../shared/iqa/choose-tools.ts';
import type { Iqa } from '../../shared/iqa/iqa.ts';
import type { Log } from '../../shared/kernel/ports.ts';

/**
 * Scores a picture against itself with the tools that are chosen unasked, so that the first score a person asks for
 * does not wait for workers and graphs. Nothing of it is kept or charged.
 */
export const warmIqa = async ({ engine, catalogue, computations }: Iqa, bytes: Uint8Array, log: Log): Promise<void> => {
  const started = performance.now();
  const canRun = await computations.availability();
  const picture = await engine.decode(bytes, 'sample');
  const tools = chooseTools(catalogue, { hasReference: true }, canRun);
  // All at once, as a request does it: each worker keeps graphs of its own.
  await Promise.all(tools.map((tool) => engine.score({ tool, picture, reference: picture })));
  engine.release(picture);
  log.info('image tools are warm', { ms: Math.round(performance.now() - started) });
};
