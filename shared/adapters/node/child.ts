import { fork, type Serializable } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { failure } from '../../execute/output.ts';
import { cleanEnvironment } from './clean-environment.ts';

/** A child process. */
export interface Child {
  send(message: object): void;
  /** While held, the child keeps this process alive. */
  hold(isHeld: boolean): void;
  /** Kills it. */
  kill(): void;
}

export interface ChildOptions {
  readonly file: URL;
  readonly args?: readonly string[];
  readonly memoryMb: number;
  /** Whether its code is the operator's own: then it sees the environment and may print. */
  readonly isTrusted: boolean;
  /** The environment of a trusted child; ours by default. */
  readonly env?: NodeJS.ProcessEnv | undefined;
  /** Additional options of Node. */
  readonly nodeOptions?: readonly string[] | undefined;
  readonly onMessage: (message: never) => void;
  /** Called once, when it has ended. */
  readonly onEnd: (reason: Error) => void;
}

/**
 * Starts a module in a process of its own. A thread would be cheaper, but one that runs out of memory, or calls into
 * broken native code, takes the whole process with it.
 */
export const startChild = (options: ChildOptions): Child => {
  const { file, args = [], memoryMb, isTrusted, env, nodeOptions = [], onMessage, onEnd } = options;
  const process_ = fork(fileURLToPath(file), args, {
    // Passes bytes unchanged.
    serialization: 'advanced',
    execArgv: [`--max-old-space-size=${memoryMb}`, '--no-warnings', ...nodeOptions],
    // Our environment may contain secrets.
    env: isTrusted ? env : cleanEnvironment(),
    // Output of a tool must not mix with our own.
    stdio: isTrusted ? ['ignore', 2, 2, 'ipc'] : ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  // The server has priority over tools.
  if (!isTrusted && process_.pid !== undefined) lowerPriority(process_.pid);
  let isEnded = false;
  const end = (reason: Error): void => {
    if (isEnded) return;
    isEnded = true;
    process_.kill('SIGKILL');
    onEnd(reason);
  };
  process_.on('message', (message: Serializable) => onMessage(message as never));
  process_.on('error', (error) => end(failure('ProcessEnded', `the tool's process broke: ${error.message}`)));
  process_.on('exit', (code, signal) => end(endedBy(code, signal, memoryMb)));
  return {
    send: (message) => {
      // It may have just ended; onEnd reports that.
      if (process_.connected) process_.send(message, () => {});
    },
    hold(isHeld) {
      if (isHeld) {
        process_.ref();
        process_.channel?.ref();
      } else {
        process_.unref();
        process_.channel?.unref();
      }
    },
    kill: () => end(failure('ProcessEnded', 'the tool was ended')),
  };
};

const lowerPriority = (pid: number): void => {
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // It has already ended, or lowering is not permitted.
  }
};

const endedBy = (code: number | null, signal: NodeJS.Signals | null, memoryMb: number): Error => {
  // V8 aborts when its heap is full.
  if (signal === 'SIGABRT' || signal === 'SIGTRAP' || code === 134)
    return failure('OutOfMemory', `the tool broke its process, most likely by needing more than ${memoryMb} MB`);
  return failure('ProcessEnded', `the tool ended its process with ${signal ?? `exit code ${code}`}`);
};
