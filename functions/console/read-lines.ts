import { ApiFault, type ErrorAnswer, faultFrom } from './fault.ts';

/** The lines of an answer as they come. One that tells of an error is thrown. */
export async function* readLines<Line>(response: Response): AsyncGenerator<Line> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (;;) {
    const part = await reader?.read().catch((thrown: unknown) => {
      throw lost(thrown);
    });
    if (!part || part.done) return;
    const lines = `${text}${part.value}`.split('\n');
    text = lines.pop() ?? '';
    for (const each of lines) {
      const line = JSON.parse(each) as Line | ErrorAnswer;
      if (isError(line)) throw faultFrom(line);
      yield line;
    }
  }
}

const isError = (line: unknown): line is ErrorAnswer => typeof line === 'object' && line !== null && 'error' in line;

const lost = (thrown: unknown): ApiFault =>
  (thrown as Error).name === 'AbortError'
    ? new ApiFault('Cancelled', 'stopped')
    : new ApiFault('Offline', `the connection was lost (${(thrown as Error).message})`);
