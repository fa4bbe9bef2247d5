import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Counts, Told } from './run-part.ts';

export interface Failure {
  readonly file: string;
  readonly name: string;
  readonly error: string;
}

/** The result of a process's tests. */
export interface PartEnd {
  readonly files: readonly string[];
  readonly failures: readonly Failure[];
  readonly counts: Counts;
  /** Whether all its tests ran to their end. */
  readonly isCounted: boolean;
  /** By file. */
  readonly milliseconds: ReadonlyMap<string, number>;
  readonly ms: number;
  readonly output: Buffer;
}

/** esbuild and the compiler are short-lived; collecting garbage less often saves a fifth of their time. */
const env = { GOGC: '400', ...process.env };
const script = fileURLToPath(new URL('run-part.ts', import.meta.url));

/** Runs test files in a separate process. */
export const runPart = async (files: readonly string[], patterns: readonly string[]): Promise<PartEnd> => {
  const began = performance.now();
  const child = fork(script, [...patterns, ...files], { env, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
  const said: Buffer[] = [];
  for (const output of [child.stdout, child.stderr]) output?.on('data', (part: Buffer) => said.push(part));
  const failures: Failure[] = [];
  const milliseconds = new Map<string, number>();
  let counts: Counts | undefined;
  child.on('message', (told: Told) => {
    if (told.kind === 'failed') failures.push(told);
    else if (told.kind === 'ended') milliseconds.set(told.file, (milliseconds.get(told.file) ?? 0) + told.ms);
    else counts = told.counts;
  });
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  const isCounted = counts !== undefined && (code === 0 || failures.length > 0);
  const file = files.length === 1 ? (files[0] ?? '') : `${files[0]} to ${files.at(-1)}`;
  const when = counts ? 'after its tests' : 'before its tests did';
  const ended = { file, name: file, error: `the process ended with ${signal ?? code} ${when}` };
  return {
    files,
    failures: isCounted ? failures : [ended],
    counts: (isCounted && counts) || { tests: 0, passed: 0, failed: 0, skipped: 0 },
    isCounted,
    milliseconds,
    ms: performance.now() - began,
    output: Buffer.concat(said),
  };
};
