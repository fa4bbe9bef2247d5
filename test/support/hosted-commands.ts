import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Finished } from './process.ts';

export interface HostedCommand {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface CommandHost {
  /** Whether a command is running. */
  readonly isBusy: boolean;
  run(command: HostedCommand): Promise<Finished>;
  close(): void;
}

const script = fileURLToPath(new URL('command-host.ts', import.meta.url));

/** A process that runs commands one after another, because starting a process takes most of a command's time. */
export const startCommandHost = (): CommandHost => {
  let host: { readonly child: ChildProcess; readonly ended: Promise<never> } | undefined;
  let isBusy = false;
  const start = () => {
    const child = fork(script, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    const ended = once(child, 'exit').then(([code]) => Promise.reject(new Error(`its process ended with ${code}`)));
    ended.catch(() => undefined);
    return { child, ended };
  };
  return {
    get isBusy() {
      return isBusy;
    },
    async run(command) {
      host ??= start();
      isBusy = true;
      const answered = once(host.child, 'message');
      host.child.send(command);
      const [finished] = await Promise.race([answered, host.ended]);
      isBusy = false;
      return finished as Finished;
    },
    close: () => void host?.child.kill('SIGKILL'),
  };
};
