import type { ScoreEntry } from '../../shared/iqa/score.ts';
import type { Log } from '../../shared/kernel/ports.ts';
import type { ApiContext } from './env.ts';
import { answerErrors } from './errors.ts';
import { quotaHeaders } from './quota-headers.ts';
import { stateOf } from './request-state.ts';

/** Whether the caller wants scores one by one instead of waiting for all. */
export const wantsLines = (c: ApiContext): boolean => (c.req.header('accept') ?? '').includes('application/x-ndjson');

/**
 * Streams scores as lines, `{"score": ...}`; the last line is the complete answer, or `{"error": ...}`. A failure
 * before the first score is answered with its status, as usual.
 */
export const answerLines = async (
  c: ApiContext,
  log: Log,
  work: (onScore: (entry: ScoreEntry) => void) => Promise<unknown>,
): Promise<Response> => {
  const out = lineStream();
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const whole = work((score) => {
    out.write(JSON.stringify({ score }));
    begin();
  });
  await Promise.race([begun, whole]);
  void whole
    .then(JSON.stringify, (thrown: Error) => answerErrors(log)(thrown, c).text())
    .then(out.write)
    .finally(out.close);
  return new Response(out.readable, {
    // Buffering proxies would delay the lines.
    headers: {
      'content-type': 'application/x-ndjson',
      'x-accel-buffering': 'no',
      ...quotaHeaders(stateOf(c).remaining),
    },
  });
};

/** A stream of lines whose reader may leave before the end. */
const lineStream = () => {
  const encoder = new TextEncoder();
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const readable = new ReadableStream<Uint8Array>({
    start(given) {
      controller = given;
    },
    cancel() {
      controller = undefined;
    },
  });
  return {
    readable,
    write: (line: string): void => controller?.enqueue(encoder.encode(`${line}\n`)),
    close: (): void => controller?.close(),
  };
};
