import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** The latencies of a client's calls, in milliseconds. */
export interface Waited {
  readonly product: readonly number[];
  readonly control: readonly number[];
}

interface Options {
  readonly pauseMs?: number;
  /** The address of a control server to call alternately with the product. */
  readonly control?: string;
}

const fileOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** Starts a client in another process; the returned function stops it and gives the latencies since it was warm. */
export const politely = async (
  address: string,
  key: string,
  { pauseMs = 0, control = '' }: Options = {},
): Promise<() => Promise<Waited>> => {
  const client = fork(fileOf('./polite-client.ts'), [address, key, String(pauseMs), control]);
  await once(client, 'message');
  return async () => {
    const answer = once(client, 'message');
    client.send('stop');
    const [waited] = (await answer) as [Waited];
    return waited;
  };
};

/** Starts the control server of a soak. */
export const startControl = async (): Promise<{ readonly address: string; stop(): void }> => {
  const child = fork(fileOf('./control-server.ts'));
  const [address] = (await once(child, 'message')) as [string];
  return { address, stop: () => child.disconnect() };
};
