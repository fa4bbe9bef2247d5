import { spawnSync } from 'node:child_process';
import { createInterface } from 'node:readline/promises';
import { stages } from '../config.ts';
import { root } from './paths.ts';
import { parseStageArguments, type StageArguments, UsageError } from './stage-arguments.ts';

/** A step that failed; the CDK has printed why. */
export class StepFailed extends Error {
  override readonly name = 'StepFailed';
}

/** Runs the CDK in the project; throws if it fails. */
export const cdk = (...args: readonly string[]): void => {
  const { status, error } = spawnSync('cdk', args, { stdio: ['ignore', 'inherit', 'inherit'], cwd: root });
  if (error) throw error;
  if (status !== 0) throw new StepFailed(`cdk ${args[0]} ended with ${status}`);
};

/** Asks once, in a terminal or a pipe; the answer is empty when the input ends. */
export const ask = async (question: string): Promise<string> => {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const silence = new Promise<string>((resolve) => lines.once('close', () => resolve('')));
  const answer = await Promise.race([lines.question(question), silence]);
  lines.close();
  return answer.trim();
};

/** Runs a script on a stage; the exit code is 2 for wrong usage and 1 for a failure. */
export const runScript = async (
  script: 'deploy' | 'destroy',
  run: (given: StageArguments) => Promise<void>,
): Promise<void> => {
  try {
    await run(parseStageArguments(script, process.argv.slice(2), Object.keys(stages)));
  } catch (error) {
    if (!(error instanceof UsageError || error instanceof StepFailed)) throw error;
    console.error(error.message);
    process.exitCode = error instanceof UsageError ? 2 : 1;
  }
};
