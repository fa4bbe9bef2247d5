import { parseMachine } from '../../shared/plan/asl.ts';
import { checkMachine } from '../../shared/plan/check-machine.ts';
import { compilePlan } from '../../shared/plan/compile.ts';
import { toAsl } from '../../shared/plan/to-asl.ts';
import { validateAsl } from '../support/validate-asl.ts';
import { randomPlan } from './random-plans.ts';
import { judge, printTable, summary } from './report.ts';

/** Checks the definitions of `count` random plans with asl-validator and our own checks, and prints their sizes. */
export function benchAsl(count = 1000): void {
  const problems: string[] = [];
  const sizes: number[] = [];
  const times: number[] = [];
  for (let seed = 1; seed <= count; seed++) {
    const plan = randomPlan(seed);
    const { tree } = compilePlan(plan);
    const began = performance.now();
    const { definition } = toAsl(plan, tree);
    times.push(performance.now() - began);
    sizes.push(JSON.stringify(definition).length);
    checkMachine(parseMachine(definition));
    const problem = validateAsl(definition);
    if (problem !== '') problems.push(`seed ${seed}: ${problem}`);
  }
  printTable([
    { definitions: 'bytes', ...summary(sizes) },
    { definitions: 'ms to write', ...summary(times) },
  ]);
  for (const problem of problems.slice(0, 10)) console.log(problem);
  judge(`asl-validator accepts ${count} of ${count}`, problems.length === 0);
}
