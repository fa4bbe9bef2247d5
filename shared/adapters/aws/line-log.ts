import { textForLog } from '../../kernel/json.ts';
import type { Log } from '../../kernel/ports.ts';

/** One JSON object per line, written at once, because a function is frozen between calls. */
export const lineLog = (write: (text: string) => void, now: () => number = Date.now): Log => {
  const line =
    (level: string) =>
    (message: string, fields: Readonly<Record<string, unknown>> = {}): void =>
      write(`${textForLog({ level, time: new Date(now()).toISOString(), message, ...fields })}\n`);
  return { info: line('info'), warn: line('warn'), error: line('error') };
};
