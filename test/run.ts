import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { type PartEnd, runPart } from './support/fork-part.ts';
import { parts } from './support/test-files.ts';

/**
 * Runs all tests: a queue of processes, the longest first, a few at a time. What a process says is shown when it has
 * ended, and at the end every failure again: `npm test -- --test-name-pattern X.07`. Files that are named run alone.
 * What failed beside others is run once more by itself: a failure counts when it is there again, and is told either way.
 */

/** More than there are cores: many tests wait for other processes. */
const LANES = Math.min(8, availableParallelism() + 2);
const SLOWEST_SHOWN = 10;

const { values, positionals: named } = parseArgs({
  allowPositionals: true,
  options: { 'test-name-pattern': { type: 'string', multiple: true } },
});
const patterns = (values['test-name-pattern'] ?? []).map((pattern) => `--test-name-pattern=${pattern}`);

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

const run = async (files: readonly string[]): Promise<PartEnd> => {
  const end = await runPart(files, patterns);
  const what = files.length === 1 ? files[0] : `${files.length} files, ${files[0]} to ${files.at(-1)}`;
  process.stdout.write(`\n${what} (${seconds(end.ms)}):\n${end.output}`);
  return end;
};

/** Bundles the command, and fills the compile cache before many processes look for the same modules at once. */
const prepare = async (): Promise<void> => {
  for (const file of ['infra/build/prepare.js', 'test/prime.ts'])
    await once(spawn(process.execPath, [file], { stdio: 'inherit' }), 'close');
};

const began = performance.now();
if (named.length === 0) await prepare();
const waiting = named.length === 0 ? parts.map(({ files }) => files) : named.map((file) => [file]);
const ends: PartEnd[] = [];
const work = async (): Promise<void> => {
  for (let files = waiting.shift(); files; files = waiting.shift()) ends.push(await run(files));
};
await Promise.all(Array.from({ length: LANES }, work));

/** The files to try again: those with a failure, or all of a process that did not end its tests. */
const failedFiles = ends.flatMap(({ files, failures, isCounted }): readonly (readonly string[])[] =>
  isCounted ? [...new Set(failures.map(({ file }) => file))].map((file) => [file]) : [files],
);
const again: PartEnd[] = [];
for (const files of failedFiles) again.push(await run(files));
const standing = again.flatMap(({ failures }) => failures);
const unsteady = ends
  .flatMap(({ failures }) => failures)
  .filter(({ name, file }) => !standing.some((other) => other.name === name && other.file === file));

const sum = (list: readonly PartEnd[], name: keyof PartEnd['counts']): number =>
  list.reduce((total, { counts }) => total + counts[name], 0);
const uncountedAtFirst = again.filter(({ files }) => ends.some((end) => !end.isCounted && end.files === files));
const tests = sum(ends, 'tests') + sum(uncountedAtFirst, 'tests');
const skipped = sum(ends, 'skipped') + sum(uncountedAtFirst, 'skipped');
const failed = standing.length;

const tell = (title: string, list: PartEnd['failures']): readonly string[] =>
  list.length === 0
    ? []
    : [
        '',
        title,
        '',
        ...list.map(({ name, file, error }) => `✖ ${name}\n  ${file}\n${error.replaceAll(/^/gm, '    ')}`),
      ];

const milliseconds = new Map(ends.flatMap((end) => [...end.milliseconds]));
const slowest = [...milliseconds].sort(([, a], [, b]) => b - a).slice(0, SLOWEST_SHOWN);
const lines = [
  'the slowest files:',
  ...slowest.map(([file, ms]) => `  ${seconds(ms).padStart(7)}  ${file}`),
  ...tell('passed only when run again by itself:', unsteady),
  ...tell('failing tests:', standing),
  '',
  `${tests} tests: ${tests - failed - skipped} passed, ${failed} failed, ${skipped} skipped, in ${seconds(performance.now() - began)}`,
];
process.stdout.write(`\n${lines.join('\n')}\n`);
if (failed > 0) process.exitCode = 1;
