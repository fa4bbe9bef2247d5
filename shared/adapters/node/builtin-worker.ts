import { parentPort } from 'node:worker_threads';
import { messageOf } from '../../errors.ts';
import type { Arguments } from '../../execute/builtins/builtin.ts';
import { builtins } from '../../execute/builtins/index.ts';
import { MAX_OUTPUT_BYTES, outputTooLarge } from '../../execute/output.ts';
import { nodeGauge } from './gauge.ts';
import type { Answer } from './worker-pool.ts';

/** The thread of builtins that nothing on the server's own thread could stop. */
export interface BuiltinJob {
  readonly name: string;
  readonly args: Arguments;
}

const byName = new Map(builtins.map((builtin) => [builtin.definition.name, builtin]));
const gauge = nodeGauge();

parentPort?.on('message', async (job: BuiltinJob) => parentPort?.postMessage(await answer(job)));

const answer = async ({ name, args }: BuiltinJob): Promise<Answer> => {
  const { result, usage } = await gauge.measure(async () => {
    const text = JSON.stringify((await byName.get(name)?.run(args)) ?? null);
    // Here, before it is copied to the server's thread.
    if (text.length > MAX_OUTPUT_BYTES) throw outputTooLarge(name);
    return text;
  });
  return result.status === 'fulfilled' ? { text: result.value, usage } : { thrown: thrownOf(result.reason), usage };
};

const thrownOf = (reason: unknown) => {
  const { name = 'Error', stack } = reason instanceof Error ? reason : {};
  return { name, message: messageOf(reason), ...(stack === undefined ? {} : { stack }) };
};
