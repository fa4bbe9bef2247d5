import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { bundleCommand } from '../../../infra/build/bundle-command.ts';
import { fromRoot } from '../../../infra/build/paths.ts';
import { median } from './measure.ts';

type CommandStart = Readonly<Record<'command' | 'processor ms' | 'wall ms' | 'memory MB', string | number>>;

/** Runs the bundled program with a compile cache, as `functions/cli/assay.js` does, and prints its usage at the end. */
const RUNNER = `import module from 'node:module';
module.enableCompileCache(process.env.BENCH_CACHE);
const { main } = await import('./functions/cli/index.mjs');
process.exitCode = await main(process.argv.slice(2));
const { user, system } = process.cpuUsage();
process.stderr.write('\\n' + JSON.stringify([(user + system) / 1000, performance.now(), process.memoryUsage().rss / 1e6]));`;

/** The cost of `assay tools list`, and of `assay serve` until its first answer: new processes in a separate folder. */
export const measureCommands = async (rounds: number): Promise<readonly CommandStart[]> => {
  // Inside node_modules, so that its packages are found.
  const bundle = fromRoot(`node_modules/.cache/bench-${process.pid}`);
  const folder = await mkdtemp(join(tmpdir(), 'assay-'));
  try {
    await bundleCommand(bundle);
    await writeFile(join(bundle, 'run.mjs'), RUNNER);
    const env = { ...process.env, BENCH_CACHE: join(folder, 'cache'), ASSAY_ENCODER: 'off' };
    const at: Place = { runner: join(bundle, 'run.mjs'), folder, env };
    const [lists, serves]: [Figures[], Figures[]] = [[], []];
    for (let round = -1; round < rounds; round++) {
      const [list, serve] = [await listOnce(at), await serveOnce(at)];
      // The first round fills the compile cache.
      if (round >= 0) lists.push(list);
      if (round >= 0) serves.push(serve);
    }
    return [summary('assay tools list', lists), summary('assay serve, first answer', serves)];
  } finally {
    await Promise.all([rm(bundle, { recursive: true, force: true }), rm(folder, { recursive: true, force: true })]);
  }
};

interface Place {
  readonly runner: string;
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
}

/** CPU milliseconds, wall milliseconds and megabytes. */
type Figures = readonly [number, number, number];

const listOnce = async ({ runner, folder, env }: Place): Promise<Figures> => {
  const args = [runner, 'tools', 'list', '--data', join(folder, 'data')];
  const { stderr } = await promisify(execFile)(process.execPath, args, { env, cwd: folder });
  return JSON.parse(stderr.slice(stderr.lastIndexOf('\n'))) as Figures;
};

const serveOnce = async ({ runner, folder, env }: Place): Promise<Figures> => {
  const began = performance.now();
  const args = [runner, 'serve', '--port', '0', '--data', join(folder, 'data')];
  const server = spawn(process.execPath, args, { env, cwd: folder, stdio: ['ignore', 'pipe', 'ignore'] });
  const ended = once(server, 'exit');
  try {
    const response = await fetch(`${await addressOf(server.stdout)}/healthz`);
    if (response.status !== 200) throw new Error(`/healthz answered ${response.status}`);
    const wall = performance.now() - began;
    return [processorOf(server.pid), wall, memoryOf(server.pid)];
  } finally {
    server.kill();
    await ended;
  }
};

const addressOf = async (output: NodeJS.ReadableStream): Promise<string> => {
  for await (const line of createInterface({ input: output })) {
    const found = /listening on (http:\S+)/.exec(line)?.[1];
    if (found !== undefined) return found;
  }
  throw new Error('the server ended before it listened');
};

// Linux counts CPU time in hundredths of a second.
const processorOf = (pid: number | undefined): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
};

const memoryOf = (pid: number | undefined): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1000;

const summary = (command: string, figures: readonly Figures[]): CommandStart => {
  const of = (index: 0 | 1 | 2): number => Math.round(median(figures.map((each) => each[index])));
  return { command, 'processor ms': of(0), 'wall ms': of(1), 'memory MB': of(2) };
};
