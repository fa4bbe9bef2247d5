import { seeded } from './dying-table.ts';
import { type Schedule, scenarioNames, simulate } from './simulate.ts';

/** Every crash point of every scenario in turn, each alone and beside a second process, in orders drawn from a seed. */
export const drawSchedules = async (count: number, seed: number): Promise<readonly Schedule[]> => {
  const random = seeded(seed);
  const points: Omit<Schedule, 'seed'>[] = [];
  for (const scenario of scenarioNames) {
    const { writes } = await simulate({ scenario, writes: Number.MAX_SAFE_INTEGER, seed, isContended: false });
    for (let at = 1; at <= writes + 1; at++)
      for (const isContended of [false, true]) points.push({ scenario, writes: at, isContended });
  }
  // A sample takes points from all over; more than there are takes each of them in several orders.
  const offset = Math.floor(random() * points.length);
  const step = Math.max(1, Math.floor(points.length / count));
  return Array.from({ length: count }, (_, n) => {
    const point = points[(offset + n * step) % points.length] as Omit<Schedule, 'seed'>;
    return { ...point, seed: Math.floor(random() * 2 ** 31) };
  });
};
