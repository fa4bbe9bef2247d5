import { engineTime } from '../../shared/adapters/node/engine-time.ts';
import { compilePlan } from '../../shared/plan/compile.ts';
import type { EnginePorts } from '../../shared/plan/engine/ports.ts';
import { type PreparedMachine, prepareMachine } from '../../shared/plan/engine/prepare.ts';
import { interpret } from '../../shared/plan/interpret.ts';
import { toAsl } from '../../shared/plan/to-asl.ts';
import { randomPlan } from './random-plans.ts';
import { judge, printTable, summary } from './report.ts';

const ROUNDS = 7;
const CHAIN = 1000;

/** Task states per second in a chain and in whole plans, and the engine's overhead on waiting branches. */
export async function benchEngine(): Promise<void> {
  const ports: EnginePorts = {
    ...engineTime(),
    now: Date.now,
    task: async () => ({ StatusCode: 200, Payload: { s: 'ok', v: { value: 1 } } }),
  };
  const chain = prepareMachine(taskChain(CHAIN));
  const plans = Array.from({ length: 30 }, (_, seed) => preparePlan(seed + 1));
  const rates: number[] = [];
  const planRates: number[] = [];
  const waits: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    rates.push(await perSecond(CHAIN, () => interpret(chain, chainInput, ports)));
    const tasks = plans.reduce((sum, { count }) => sum + count, 0);
    planRates.push(
      await perSecond(tasks, async () => {
        for (const { machine, input } of plans) await interpret(machine, input, ports);
      }),
    );
    waits.push(await waitingBranches(200, 100));
  }
  printTable([
    { 'task states a CPU second': `chain of ${CHAIN}`, ...summary(rates) },
    { 'task states a CPU second': 'random plans', ...summary(planRates) },
  ]);
  printTable([{ '200 branches of 100 ms': 'ms', ...summary(waits) }]);
  judge('engine >= 5,000 Task states a second on one core (median)', summary(rates).p50 >= 5000);
  judge('200 parallel branches of 100 ms within 150 ms (median)', summary(waits).p50 <= 150);
}

const chainInput = { v: 1, timeouts: [60] };

function taskChain(length: number): unknown {
  const state = (number: number): unknown => ({
    Type: 'Task',
    Resource: 'arn:aws:states:::lambda:invoke',
    TimeoutSeconds: '{% $states.context.Execution.Input.timeouts[0] %}',
    Arguments: {
      FunctionName: 'step',
      Payload: {
        node: `n${number}`,
        input: '{% $states.context.Execution.Input %}',
        results: number === 1 ? {} : { before: `{% $r0_${number - 1} %}` },
      },
    },
    Assign: { [`r0_${number}`]: '{% $states.result.Payload %}' },
    Output: {},
    ...(number === length ? { End: true } : { Next: `n${number + 1}` }),
  });
  const states = Array.from({ length }, (_, index) => [`n${index + 1}`, state(index + 1)]);
  return { QueryLanguage: 'JSONata', StartAt: 'n1', States: Object.fromEntries(states) };
}

function preparePlan(seed: number): { machine: PreparedMachine; input: unknown; count: number } {
  const plan = randomPlan(seed);
  const quiet = { ...plan, nodes: plan.nodes.map((node) => ({ ...node, confirm: false })) };
  const { definition, order } = toAsl(quiet, compilePlan(quiet).tree);
  return { machine: prepareMachine(definition), input: { timeouts: order.map(() => 60) }, count: order.length };
}

async function waitingBranches(count: number, milliseconds: number): Promise<number> {
  const branch = (index: number): unknown => ({
    StartAt: `b${index}`,
    States: { [`b${index}`]: { Type: 'Task', Resource: 'arn:aws:states:::lambda:invoke', End: true } },
  });
  const states = {
    all: { Type: 'Parallel', Branches: Array.from({ length: count }, (_, index) => branch(index)), End: true },
  };
  const machine = prepareMachine({ QueryLanguage: 'JSONata', StartAt: 'all', States: states });
  const time = engineTime();
  const began = performance.now();
  await interpret(
    machine,
    {},
    {
      ...time,
      now: Date.now,
      task: async ({ signal }) => time.sleep(milliseconds, signal).then(() => 1),
    },
  );
  return performance.now() - began;
}

/** By CPU time, so that other load on the machine does not count. */
async function perSecond(count: number, work: () => Promise<unknown>): Promise<number> {
  const began = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(began);
  return (count / (user + system)) * 1_000_000;
}
