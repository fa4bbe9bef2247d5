import { chooseTools } from '../../shared/iqa/choose-tools.ts';
import type { Iqa } from '../../shared/iqa/iqa.ts';
import type { Log } from '../../shared/kernel/ports.ts';

/**
 * Scores a picture against itself with the default tools, so that the first real score does not wait for workers and
 * graphs. The result is neither stored nor charged.
 */
export const warmIqa = async ({ engine, catalogue, computations }: Iqa, bytes: Uint8Array, log: Log): Promise<void> => {
  const started = performance.now();
  const canRun = await computations.availability();
  const picture = await engine.decode(bytes, 'sample');
  const tools = chooseTools(catalogue, { hasReference: true }, canRun);
  // Concurrently, as in a request, because each worker has its own graphs.
  await Promise.all(tools.map((tool) => engine.score({ tool, picture, reference: picture })));
  engine.release(picture);
  log.info('image tools are warm', { ms: Math.round(performance.now() - started) });
};
