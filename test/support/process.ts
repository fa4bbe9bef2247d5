import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { startCommandHost } from './hosted-commands.ts';
import { isWhole } from './sampling.ts';

const clone = fileURLToPath(new URL('../../functions/cli/assay.js', import.meta.url));

/** How many characters of an ended server's output are kept. */
const LAST_WORDS = 4000;

export interface Finished {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface RunOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  /** The command; by default that of this clone. */
  readonly entry?: string;
  /** The port; by default a free one. */
  readonly port?: number;
}

// A test must not depend on the environment of whoever runs it.
const cleanEnv = (extra: Readonly<Record<string, string>> = {}) => {
  const kept = Object.entries(process.env).filter(
    ([name]) => !name.startsWith('ASSAY_') && !name.startsWith('NODE_TEST'),
  );
  return { ...Object.fromEntries(kept), NO_COLOR: '1', XDG_CONFIG_HOME: '/nonexistent', ...extra };
};

/** Runs `assay` as a process and waits for its end. */
export const runAssay = async (
  args: readonly string[],
  { cwd, env, input = '', entry = clone }: RunOptions,
): Promise<Finished> => {
  const child = spawn(process.execPath, [entry, ...args], { cwd, env: cleanEnv(env) });
  child.stdin.end(input);
  const [stdout, stderr] = [collect(child, 'stdout'), collect(child, 'stderr')];
  const [code] = (await once(child, 'close')) as [number];
  return { code, stdout: stdout(), stderr: stderr() };
};

export interface Served {
  readonly address: string;
  readonly greeting: string;
  readonly adminKey: string | undefined;
  readonly child: ChildProcess;
  /** Resolves when the process ends for any reason, with its exit code or signal and the end of its output. */
  readonly ended: Promise<string>;
  /** Sends a signal, waits for the end and returns the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/** Starts `assay serve` and waits for its greeting. */
export const serveAssay = async ({ cwd, env, entry = clone, port = 0 }: RunOptions): Promise<Served> => {
  const child = spawn(process.execPath, [entry, 'serve', '--port', String(port)], { cwd, env: cleanEnv(env) });
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  const [stdout, stderr] = [collect(child, 'stdout'), collect(child, 'stderr')];
  const closed = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  const ended = closed.then(
    ([code, signal]) => `${signal ?? `exit code ${code}`}: ${stderr().slice(-LAST_WORDS) || 'it said nothing'}`,
  );
  while (!/Try it:\n.*\n/.test(stdout())) {
    await Promise.race([once(child.stdout, 'data'), closed]);
    if (child.exitCode !== null) throw new Error(`assay serve ended with ${child.exitCode}: ${stderr()}`);
  }
  const greeting = stdout();
  return {
    child,
    ended,
    greeting,
    address: /http:\/\/[\d.]+:\d+/.exec(greeting)?.[0] ?? '',
    adminKey: /ak_[A-Za-z0-9_-]+/.exec(greeting)?.[0],
    async stop(signal = 'SIGTERM') {
      process.off('exit', kill);
      child.kill(signal);
      return (await closed)[0];
    },
  };
};

export interface ServedCli extends Served {
  readonly cwd: string;
  readonly key: string;
  /** Runs a command against the server, which spares loading the product. */
  run(...args: string[]): Promise<Finished>;
}

/** Runs commands as `runAssay` does; in a sample, one after another in one process. */
export const commandRunner = (t: { after(clean: () => void): void }): typeof runAssay => {
  const host = startCommandHost();
  t.after(() => host.close());
  return (args, options) =>
    isWhole || host.isBusy ? runAssay(args, options) : host.run({ args, cwd: options.cwd, env: cleanEnv(options.env) });
};

/**
 * A server on a data directory, with the command line as its client. In a sample, the commands run one after another in
 * one process; in a whole run, each has its own process.
 */
export const serveCli = async (cwd: string): Promise<ServedCli> => {
  const served = await serveAssay({ cwd });
  const key = served.adminKey ?? '';
  const env = { ASSAY_URL: served.address, ASSAY_KEY: key };
  const host = startCommandHost();
  return {
    ...served,
    cwd,
    key,
    run: (...args) =>
      isWhole || host.isBusy ? runAssay(args, { cwd, env }) : host.run({ args, cwd, env: cleanEnv(env) }),
    stop(signal) {
      host.close();
      return served.stop(signal);
    },
  };
};

const collect = (child: ChildProcess, stream: 'stdout' | 'stderr'): (() => string) => {
  let text = '';
  child[stream]?.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  return () => text;
};
