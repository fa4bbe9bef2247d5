import { seededRandom } from '../../shared/kernel/seeded-random.ts';
import { type ScenarioName, scenarioNames } from './scenarios.ts';
import { type Schedule, simulate } from './simulate.ts';

/**
 * Every point of every scenario at which a process may die or stall, alone and beside a second process, in orders
 * drawn from a seed. Fewer than there are take points from all over; more take each in several orders.
 */
export const drawSchedules = async (
  count: number,
  seed: number,
  names: readonly ScenarioName[] = scenarioNames,
): Promise<readonly Schedule[]> => {
  const random = seededRandom(seed);
  const points: Omit<Schedule, 'seed'>[] = [];
  for (const scenario of names) {
    const whole = { scenario, writes: Number.MAX_SAFE_INTEGER, seed, fate: 'dies', isContended: false } as const;
    const { writes } = await simulate(whole);
    for (let at = 1; at <= writes + 1; at++)
      for (const isContended of [false, true])
        for (const fate of ['dies', 'stalls'] as const) points.push({ scenario, writes: at, isContended, fate });
  }
  const offset = Math.floor(random() * points.length);
  const step = Math.max(1, points.length / count);
  return Array.from({ length: count }, (_, n) => {
    const point = points[(offset + Math.floor(n * step)) % points.length] as Omit<Schedule, 'seed'>;
    return { ...point, seed: Math.floor(random() * 2 ** 31) };
  });
};
