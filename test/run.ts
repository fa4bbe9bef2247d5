import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { Told } from './support/run-part.ts';
import { parts } from './support/test-files.ts';

/**
 * Runs all tests: a queue of processes, the longest first, a few at a time. What a process says is shown when it has
 * ended, and at the end every failure again: `npm test -- --test-name-pattern X.07`. Files that are named run alone.
 */

/** More than there are cores: many tests wait for other processes. */
const LANES = Math.min(8, availableParallelism() + 2);
const SLOWEST_SHOWN = 10;

/** esbuild and the compiler end before they have filled the memory: collecting garbage less often is a fifth of their time. */
const env = { GOGC: '400', ...process.env };

const { values, positionals: named } = parseArgs({
  allowPositionals: true,
  options: { 'test-name-pattern': { type: 'string', multiple: true } },
});
const patterns = (values['test-name-pattern'] ?? []).map((pattern) => `--test-name-pattern=${pattern}`);
const script = fileURLToPath(new URL('support/run-part.ts', import.meta.url));
const failures: string[] = [];
const milliseconds = new Map<string, number>();
const total = { tests: 0, passed: 0, failed: 0, skipped: 0 };

const runPart = async (files: readonly string[]): Promise<void> => {
  const began = performance.now();
  const child = fork(script, [...patterns, ...files], { env, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
  const said: Buffer[] = [];
  for (const output of [child.stdout, child.stderr]) output?.on('data', (part: Buffer) => said.push(part));
  let isCounted = false;
  child.on('message', (told: Told) => {
    if (told.kind === 'failed') failures.push(`✖ ${told.name}\n  ${told.file}\n${indented(told.error)}`);
    else if (told.kind === 'ended') milliseconds.set(told.file, (milliseconds.get(told.file) ?? 0) + told.ms);
    else {
      isCounted = true;
      for (const name of ['tests', 'passed', 'failed', 'skipped'] as const) total[name] += told.counts[name];
    }
  });
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  const what = files.length === 1 ? files[0] : `${files.length} files, ${files[0]} to ${files.at(-1)}`;
  process.stdout.write(`\n${what} (${seconds(performance.now() - began)}):\n${Buffer.concat(said)}`);
  if (code !== 0 || !isCounted) process.exitCode = 1;
  if (!isCounted) failures.push(`✖ ${what}\n  the process ended with ${signal ?? code} before its tests did`);
};

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
const indented = (text: string): string => text.replaceAll(/^/gm, '    ');

/** Bundles the command, and fills the compile cache before many processes look for the same modules at once. */
const prepare = async (): Promise<void> => {
  for (const file of ['infra/build/prepare.js', 'test/prime.ts'])
    await once(spawn(process.execPath, [file], { stdio: 'inherit' }), 'close');
};

const began = performance.now();
if (named.length === 0) await prepare();
const waiting = named.length === 0 ? parts.map(({ files }) => files) : named.map((file) => [file]);
const work = async (): Promise<void> => {
  for (let files = waiting.shift(); files; files = waiting.shift()) await runPart(files);
};
await Promise.all(Array.from({ length: LANES }, work));

const slowest = [...milliseconds].sort(([, a], [, b]) => b - a).slice(0, SLOWEST_SHOWN);
const lines = [
  'the slowest files:',
  ...slowest.map(([file, ms]) => `  ${seconds(ms).padStart(7)}  ${file}`),
  ...(failures.length === 0 ? [] : ['', 'failing tests:', '', ...failures]),
  '',
  `${total.tests} tests: ${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped, in ${seconds(performance.now() - began)}`,
];
process.stdout.write(`\n${lines.join('\n')}\n`);
