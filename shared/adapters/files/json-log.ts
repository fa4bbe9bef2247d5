import type { Log } from '../../ports.ts';

const FLUSH_MS = 50;
const FLUSH_BYTES = 65_536;

export interface JsonLog extends Log {
  flush(): void;
}

/** One JSON object a line, written in batches so that logging does not slow requests down. */
export const jsonLog = (write: (text: string) => void, now: () => number = Date.now): JsonLog => {
  let pending: string[] = [];
  let bytes = 0;
  let timer: NodeJS.Timeout | undefined;

  let written = { at: Number.NaN, text: '' };
  const timeOf = (at: number): string => {
    if (at !== written.at) written = { at, text: new Date(at).toISOString() };
    return written.text;
  };
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    if (pending.length === 0) return;
    write(pending.join(''));
    pending = [];
    bytes = 0;
  };
  const line =
    (level: string) =>
    (message: string, fields: Readonly<Record<string, unknown>> = {}) => {
      const text = `${JSON.stringify({ level, time: timeOf(now()), message, ...fields })}\n`;
      pending.push(text);
      bytes += text.length;
      if (bytes > FLUSH_BYTES) flush();
      else timer ??= setTimeout(flush, FLUSH_MS).unref();
    };
  return { info: line('info'), warn: line('warn'), error: line('error'), flush };
};
