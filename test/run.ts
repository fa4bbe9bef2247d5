import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { apart, together } from './support/test-files.ts';

/**
 * Runs all tests: most in one process, which loads the product once, and beside it those that need a process of their
 * own. Arguments go to both, such as --test-name-pattern. Processes start the bundled command, as users do: in half
 * the time of the sources.
 */

const run = (stdio: 'pipe' | 'inherit', flags: readonly string[], paths: readonly string[]) => {
  const given = ['--import=./test/support/sample-properties.ts', '--test-reporter=spec', ...process.argv.slice(2)];
  return spawn(process.execPath, ['--test', ...flags, ...given, ...paths], { stdio: ['ignore', stdio, 'inherit'] });
};
const ended = async (child: ChildProcess): Promise<number> => {
  const [code] = (await once(child, 'close')) as [number | null];
  return code ?? 1;
};

for (const first of ['infra/build/prepare.js', 'test/prime.ts'])
  await ended(spawn(process.execPath, [first], { stdio: 'inherit' }));
const computing = run('pipe', ['--test-isolation=none'], together);
const [said, ...codes] = await Promise.all([
  computing.stdout ? text(computing.stdout) : '',
  ended(computing),
  ended(run('inherit', ['--test-concurrency=2'], apart)),
]);
process.stdout.write(`\n${together.length} files in one process:\n${said}`);
process.exitCode = Math.max(...codes);
