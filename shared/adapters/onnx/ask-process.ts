import { fork } from 'node:child_process';
import { cleanEnvironment } from '../node/clean-environment.ts';

/** How a process that was asked one thing ended: by an answer, by itself, or because it took too long. */
export type Asked<Reply> = { readonly reply: Reply } | { readonly ended: string };

/** Asks a process of its own one thing: what loops or crashes there takes nothing with it. */
export const askProcess = <Reply>(child: URL, ask: object, timeoutMs: number): Promise<Asked<Reply>> =>
  new Promise((resolve, reject) => {
    const asked = fork(child, {
      // Bytes pass as they are.
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      env: cleanEnvironment(),
    });
    const settle = (answer: () => void): void => {
      clearTimeout(late);
      asked.removeAllListeners();
      asked.kill('SIGKILL');
      answer();
    };
    const late = setTimeout(
      () => settle(() => resolve({ ended: `took longer than ${timeoutMs / 1000} s` })),
      timeoutMs,
    );
    asked.once('message', (reply) => settle(() => resolve({ reply: reply as Reply })));
    asked.once('error', (thrown) => settle(() => reject(thrown)));
    asked.once('exit', (code, signal) => settle(() => resolve({ ended: `ended its process (${signal ?? code})` })));
    asked.send(ask);
  });
