import { ApiFault, type ErrorAnswer, faultFrom } from './fault.ts';

/** The lines of a response as they arrive. A line with an error is thrown. */
export async function* readLines<Line>(response: Response): AsyncGenerator<Line> {
  for await (const text of textLines(response)) {
    const line = JSON.parse(text) as Line | ErrorAnswer;
    if (isError(line)) throw faultFrom(line);
    yield line;
  }
}

/** The data of server-sent events as they arrive; each is one line. */
export async function* readEvents(response: Response): AsyncGenerator<string> {
  for await (const line of textLines(response)) if (line.startsWith('data: ')) yield line.slice(6);
}

async function* textLines(response: Response): AsyncGenerator<string> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (;;) {
    const part = await reader?.read().catch((thrown: unknown) => {
      throw lost(thrown);
    });
    if (!part || part.done) return;
    const lines = `${text}${part.value}`.split('\n');
    text = lines.pop() ?? '';
    yield* lines;
  }
}

const isError = (line: unknown): line is ErrorAnswer => typeof line === 'object' && line !== null && 'error' in line;

const lost = (thrown: unknown): ApiFault =>
  (thrown as Error).name === 'AbortError'
    ? new ApiFault('Cancelled', 'stopped')
    : new ApiFault('Offline', `the connection was lost (${(thrown as Error).message})`);
