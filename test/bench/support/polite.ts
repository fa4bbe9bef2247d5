import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const file = fileURLToPath(new URL('./polite-client.ts', import.meta.url));

/** What a client of another process waits for small calls, from now until the answer is asked for. */
export const politely = (address: string, key: string, pauseMs = 0): (() => Promise<readonly number[]>) => {
  const client = fork(file, [address, key, String(pauseMs)]);
  return async () => {
    const answer = once(client, 'message');
    client.send('stop');
    const [times] = (await answer) as [readonly number[]];
    return times;
  };
};
