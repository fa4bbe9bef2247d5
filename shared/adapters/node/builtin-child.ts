import type { Arguments } from '../../execute/builtins/builtin.ts';
import { builtins } from '../../execute/builtins/index.ts';
import { MAX_OUTPUT_BYTES, outputTooLarge } from '../../execute/output.ts';
import type { Answer } from './child-pool.ts';
import { nodeGauge } from './gauge.ts';
import { endWithParent } from './orphan-watch.ts';
import { thrownOf } from './thrown.ts';

/** The process of builtins that nothing in the server's own could stop. */
export interface BuiltinJob {
  readonly name: string;
  readonly args: Arguments;
}

const byName = new Map(builtins.map((builtin) => [builtin.definition.name, builtin]));
const gauge = nodeGauge();

const answer = async ({ name, args }: BuiltinJob): Promise<Answer> => {
  const { result, usage } = await gauge.measure(async () => {
    const text = JSON.stringify((await byName.get(name)?.run(args)) ?? null);
    // Here, before it is copied to the server.
    if (text.length > MAX_OUTPUT_BYTES) throw outputTooLarge(name);
    return text;
  });
  return result.status === 'fulfilled' ? { text: result.value, usage } : { thrown: thrownOf(result.reason), usage };
};

endWithParent();
process.on('message', async (job: BuiltinJob) => process.send?.(await answer(job)));
