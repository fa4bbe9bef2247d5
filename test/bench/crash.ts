import { parseArgs } from 'node:util';
import { benchSchedules } from './crash-schedules.ts';

/** `npm run bench -- crash --schedules 20000 [--seed 1] [--store sqlite]` simulates processes that die after any write. */
export const bench = async (args: readonly string[]): Promise<void> => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      schedules: { type: 'string', default: '2000' },
      seed: { type: 'string', default: '1' },
      store: { type: 'string', default: 'memory' },
    },
  });
  await benchSchedules(Number(values.schedules), Number(values.seed), values.store === 'sqlite' ? 'sqlite' : 'memory');
};
