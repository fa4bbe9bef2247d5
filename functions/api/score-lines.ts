import type { ScoreEntry } from '../../shared/iqa/score.ts';
import type { Log } from '../../shared/kernel/ports.ts';
import type { ApiContext } from './env.ts';
import { answerErrors } from './errors.ts';
import { quotaHeaders } from './quota-headers.ts';
import { stateOf } from './request-state.ts';

/** Whether the caller would rather see scores one by one than wait for all. */
export const wantsLines = (c: ApiContext): boolean => (c.req.header('accept') ?? '').includes('application/x-ndjson');

/**
 * Scores in lines as they are made, `{"score": ...}`; the last line is the whole answer, or `{"error": ...}`. What
 * fails before its first score is answered with its status, as usual.
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
    // Proxies that gather an answer before they pass it on would hold the lines back.
    headers: {
      'content-type': 'application/x-ndjson',
      'x-accel-buffering': 'no',
      ...quotaHeaders(stateOf(c).remaining),
    },
  });
};

/** Lines for a reader who may leave before they end. */
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
