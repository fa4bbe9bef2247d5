import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Rate } from '../../../shared/access/token-bucket.ts';
import { type Served, serveAssay } from '../../support/process.ts';

const ADMIN = 'admin-key-of-a-watched-server';

export interface Answered {
  readonly status: number;
  /** The code of the error, or `ok`. */
  readonly says: string;
  readonly charged: number;
  readonly body: unknown;
}

/** A real server with measurements: memory including its children, and turns of its event loop. */
export interface WatchedServer extends Served {
  readonly data: string;
  isRunning(): boolean;
  send(path: string, body: unknown, options?: SendOptions): Promise<Answered>;
  key(tenant: string, scopes: readonly string[], rate?: Rate): Promise<string>;
  /** The memory of the process and all its children, in megabytes. */
  memory(): Promise<number>;
  /** The parts of the process's own memory in megabytes, at most a second old. */
  madeOf(): Promise<{ readonly heap: number; readonly external: number; readonly rss: number }>;
  /** The heap in use after a full garbage collection, in megabytes. */
  live(): Promise<number>;
  /** The milliseconds of a fixed piece of work, once a second, the latest last. */
  same(): Promise<readonly number[]>;
  /** The CPU milliseconds of the process so far, without its children. */
  cpu(): Promise<number>;
  /** The longest turn of the event loop since a time, in CPU milliseconds; below 20 counts as 0. */
  longestTurn(since: number): Promise<number>;
}

/** What the stall watch reports. */
interface Said extends NodeJS.MemoryUsage {
  readonly same: readonly number[];
}

interface SendOptions {
  readonly method?: string;
  readonly key?: string;
}

/** Starts a server in a new folder, which `stop` removes. */
export const watchServer = async (): Promise<WatchedServer> => {
  const folder = await mkdtemp(join(tmpdir(), 'assay-watched-'));
  const stalls = join(folder, 'stalls.txt');
  const watch = new URL('./stall-watch.ts', import.meta.url).href;
  const env = { ASSAY_ADMIN_KEY: ADMIN, STALL_FILE: stalls, NODE_OPTIONS: `--import=${watch} --no-warnings` };
  const served = await serveAssay({ cwd: folder, env });
  const state = { isStopping: false };
  served.ended.then((how) => {
    if (state.isStopping) return;
    // Without a server, some clients would wait for ever.
    console.error(`the server ended by itself with ${how}`);
    process.exit(1);
  });
  const send: WatchedServer['send'] = async (path, body, { method = 'POST', key = ADMIN } = {}) => {
    const address = path.startsWith('http') ? path : `${served.address}${path}`;
    const response = await fetch(address, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    return readAnswer(response);
  };
  const said = async () => JSON.parse(await readFile(`${stalls}.memory`, 'utf8')) as Said;
  return {
    ...served,
    data: folder,
    // A killed process has no exit code.
    isRunning: () => served.child.exitCode === null && served.child.signalCode === null,
    send,
    async key(tenant, scopes, rate) {
      const { body } = await send('/v1/keys', { tenant, scopes, rate });
      return (body as { key: string }).key;
    },
    memory: async () => treeMemory(served.child.pid ?? 0),
    async madeOf() {
      const { heapUsed, external, rss } = await said();
      const megabytes = (bytes: number): number => Math.round(bytes / 2 ** 20);
      return { heap: megabytes(heapUsed), external: megabytes(external), rss: megabytes(rss) };
    },
    async live() {
      await rm(`${stalls}.live`, { force: true });
      served.child.kill('SIGUSR2');
      for (;;) {
        const bytes = Number(await readFile(`${stalls}.live`, 'utf8').catch(() => 0));
        if (bytes > 0) return bytes / 2 ** 20;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    },
    same: async () => (await said()).same,
    async cpu() {
      const stat = await readFile(`/proc/${served.child.pid}/stat`, 'utf8');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      // Linux counts CPU time in hundredths of a second.
      return (Number(fields[11]) + Number(fields[12])) * 10;
    },
    async longestTurn(since) {
      const lines = (await readFile(stalls, 'utf8').catch(() => '')).split('\n').map((line) => line.split(' '));
      return Math.max(0, ...lines.filter(([at]) => Number(at) >= since).map(([, ms]) => Number(ms)));
    },
    async stop(signal) {
      state.isStopping = true;
      const code = await served.stop(signal);
      await rm(folder, { recursive: true, force: true });
      return code;
    },
  };
};

export const readAnswer = async (response: Response): Promise<Answered> => {
  const text = await response.text();
  const body: unknown = text === '' ? {} : JSON.parse(text);
  const { error, charged_micros = 0 } = body as {
    readonly error?: { readonly code?: string; readonly type?: string };
    readonly charged_micros?: number;
  };
  return { status: response.status, says: error?.code ?? error?.type ?? 'ok', charged: charged_micros, body };
};

const treeMemory = async (root: number): Promise<number> => {
  const parents = new Map<number, { readonly parent: number; readonly megabytes: number }>();
  for (const name of (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry))) {
    const status = await readFile(`/proc/${name}/status`, 'utf8').catch(() => '');
    const parent = Number(/PPid:\s+(\d+)/.exec(status)?.[1] ?? 0);
    parents.set(Number(name), { parent, megabytes: Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024 });
  }
  const isInTree = (pid: number): boolean => pid === root || (pid > 1 && isInTree(parents.get(pid)?.parent ?? 0));
  const own = [...parents].filter(([pid]) => isInTree(pid)).map(([, { megabytes }]) => megabytes);
  return own.reduce((sum, megabytes) => sum + megabytes, 0);
};
