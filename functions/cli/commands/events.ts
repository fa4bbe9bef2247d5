import { setTimeout } from 'node:timers/promises';
import { Fault } from '../../../shared/kernel/errors.ts';
import type { ChangeEvent } from '../../../shared/registry/events.ts';
import { readFault } from '../../client/read-fault.ts';
import type { ApiClient } from '../client.ts';
import { type Cli, type Command, flag, option, textOption } from '../command.ts';
import { shortTime } from '../output.ts';

const RECONNECT_MS = 1000;

export const events: Command = {
  usage: 'events [--follow] [--after ID]',
  summary: 'Shows what happened to the tools',
  options: {
    follow: flag('shows what happens from now on, until interrupted'),
    after: option('ID', 'what happened after this event'),
  },
  async run(cli) {
    const api = await cli.api();
    const after = textOption(cli, 'after');
    if (cli.values.follow === true) return follow(cli, api, after);
    const headers = { accept: 'application/json' };
    const response = await api.fetch(`/v1/events?limit=1000${after === undefined ? '' : `&after=${after}`}`, {
      headers,
    });
    if (!response.ok) throw await readFault(response);
    const { events: found } = (await response.json()) as { readonly events: readonly ChangeEvent[] };
    cli.output.result({ events: found }, () =>
      found.length === 0 ? 'no events' : cli.output.prose(found.map(formatEvent).join('\n')),
    );
    return 0;
  },
};

/** Prints events as they happen until it is interrupted; a broken stream resumes after the last event. */
const follow = async (cli: Cli, api: ApiClient, from: string | undefined): Promise<number> => {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  let last = from;
  let wasOpen = false;
  while (!stop.signal.aborted) {
    try {
      const headers = new Headers({ accept: 'text/event-stream' });
      if (last !== undefined) headers.set('last-event-id', last);
      const response = await api.fetch('/v1/events', { headers, signal: stop.signal });
      if (!response.ok) throw await readFault(response);
      wasOpen = true;
      for await (const event of readEvents(response, stop.signal)) {
        last = event.id;
        cli.output.line(cli.output.json ? JSON.stringify(event) : formatEvent(event));
      }
    } catch (thrown) {
      if (stop.signal.aborted) break;
      // A broken connection is reopened; an error response ends the command.
      if (!wasOpen || !isBroken(thrown)) throw thrown;
    }
    await setTimeout(RECONNECT_MS, undefined, { signal: stop.signal }).catch(() => {});
  }
  return 0;
};

const isBroken = (thrown: unknown): boolean =>
  thrown instanceof TypeError || (thrown instanceof Fault && thrown.code === 'Unavailable');

async function* readEvents(response: Response, signal: AbortSignal): AsyncGenerator<ChangeEvent> {
  const reader = (response.body ?? new ReadableStream()).getReader();
  const cancel = () => void reader.cancel().catch(() => {});
  signal.addEventListener('abort', cancel, { once: true });
  const decoder = new TextDecoder();
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    text += decoder.decode(value as Uint8Array, { stream: true });
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const data = block.split('\n').find((line) => line.startsWith('data: '));
      if (data !== undefined) yield JSON.parse(data.slice(6)) as ChangeEvent;
    }
  }
}

const formatEvent = ({ id, at, type, tool, version, reason }: ChangeEvent): string =>
  `${id.padStart(6)}  ${shortTime(at)}  ${type.padEnd(16)}  ${tool}${version === undefined ? '' : ` ${version}`}${reason === undefined ? '' : `  ${reason}`}`;
