import { parseArgs } from 'node:util';
import { benchKills } from './crash-kills.ts';
import { benchSchedules } from './crash-schedules.ts';

/**
 * `npm run bench -- crash [--kills 100] [--servers 2]` kills the real server under load, or one of several on its data.
 * `--schedules 20000 [--seed 1] [--store memory|sqlite|dynamodb] [--scenario upload]` simulates processes that die
 * after any write.
 */
export const bench = async (args: readonly string[]): Promise<void> => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      kills: { type: 'string', default: '100' },
      servers: { type: 'string', default: '1' },
      schedules: { type: 'string' },
      seed: { type: 'string', default: '1' },
      store: { type: 'string', default: 'memory' },
      scenario: { type: 'string' },
    },
  });
  if (values.schedules === undefined) return benchKills(Number(values.kills), Number(values.servers));
  const { store, scenario } = values;
  await benchSchedules({ count: Number(values.schedules), seed: Number(values.seed), store, scenario });
};
