import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { glob } from 'node:fs/promises';
import { text } from 'node:stream/consumers';

/**
 * Runs all tests: those that only compute in one process, which loads the product once, and beside them the others,
 * which start processes or measure them, each file in its own. Arguments go to both, such as --test-name-pattern.
 * Processes start the bundled command, as users do: in half the time of the sources.
 */
const TOGETHER =
  /^test\/(api|console|decide|edge|execute|infra|inference|iqa|kernel|access|search|insight|plan|providers|registry|uploads)\/(?!isolation)/;

const files = (await Array.fromAsync(glob('test/**/*.test.ts'))).sort();
const together = files.filter((file) => TOGETHER.test(file));
// A browser beside two busy processes misses its time-outs, so its stories come last.
const browser = files.filter((file) => file.startsWith('test/browser/'));
const apart = files.filter((file) => !TOGETHER.test(file) && !browser.includes(file));

const run = (stdio: 'pipe' | 'inherit', flags: readonly string[], paths: readonly string[]) =>
  spawn(process.execPath, ['--test', ...flags, '--test-reporter=spec', ...process.argv.slice(2), ...paths], {
    stdio: ['ignore', stdio, 'inherit'],
  });
const ended = async (child: ChildProcess): Promise<number> => {
  const [code] = (await once(child, 'close')) as [number | null];
  return code ?? 1;
};

for (const first of ['infra/build/prepare.js', 'test/prime.ts'])
  await ended(spawn(process.execPath, [first], { stdio: 'inherit' }));
const computing = run('pipe', ['--test-isolation=none'], together);
const runApart = async (): Promise<number> =>
  Math.max(await ended(run('inherit', ['--test-concurrency=2'], apart)), await ended(run('inherit', [], browser)));
const [said, codes] = await Promise.all([
  computing.stdout ? text(computing.stdout) : '',
  Promise.all([ended(computing), runApart()]),
]);
process.stdout.write(`\n${together.length} files in one process:\n${said}`);
process.exitCode = Math.max(...codes);
