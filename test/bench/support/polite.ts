import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const file = fileURLToPath(new URL('./polite-client.ts', import.meta.url));

/** Starts a client in another process; what it waits for small calls, from when it is warm until that is asked for. */
export const politely = async (
  address: string,
  key: string,
  pauseMs = 0,
): Promise<() => Promise<readonly number[]>> => {
  const client = fork(file, [address, key, String(pauseMs)]);
  await once(client, 'message');
  return async () => {
    const answer = once(client, 'message');
    client.send('stop');
    const [times] = (await answer) as [readonly number[]];
    return times;
  };
};
