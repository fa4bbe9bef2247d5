import { createGraph } from '../../iqa/graph.ts';
import { createSessions } from './sessions.ts';

/** Opens a graph of one node, so that a provider that does not work is known before anything is begun. */
export const requireProviders = async (providers: readonly string[]): Promise<void> => {
  const graph = createGraph('probe');
  const input = graph.input('x', 'float32', [1]);
  const probe = graph.build({ y: { value: graph.add(input, 1), shape: [1] } });
  const session = await createSessions(providers, () => {}).ofGraph(probe);
  await session.release();
};
