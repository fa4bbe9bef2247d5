import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { startCommandHost } from './hosted-commands.ts';
import { isWhole } from './sampling.ts';

const clone = fileURLToPath(new URL('../../functions/cli/assay.js', import.meta.url));

/** Of what a server that ended printed. */
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
  /** The command, of this clone unless given. */
  readonly entry?: string;
  /** A free one unless given. */
  readonly port?: number;
}

// Nothing of the tester's own environment may decide a test.
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
  /** Waits for its end, however it comes, and says how: its exit code or signal, and the end of what it printed. */
  readonly ended: Promise<string>;
  /** Ends it by a signal and waits; answers the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/** Starts `assay serve` and waits until it greets. */
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
  /** Runs a command against the server: it need not load the product. */
  run(...args: string[]): Promise<Finished>;
}

/** Runs commands for a test as `runAssay` does; in a sample one after another in one process. */
export const commandRunner = (t: { after(clean: () => void): void }): typeof runAssay => {
  const host = startCommandHost();
  t.after(() => host.close());
  return (args, options) =>
    isWhole || host.isBusy ? runAssay(args, options) : host.run({ args, cwd: options.cwd, env: cleanEnv(options.env) });
};

/**
 * A server on a data directory, and the command line as its client. In a sample its commands run one after another in
 * one process; a whole run starts one for each.
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
