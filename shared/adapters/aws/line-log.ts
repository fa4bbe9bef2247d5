import { textForLog } from '../../kernel/json.ts';
import type { Log } from '../../kernel/ports.ts';

/** One JSON object a line, written at once: a function is frozen between calls, and what waits then is late or lost. */
export const lineLog = (write: (text: string) => void, now: () => number = Date.now): Log => {
  const line =
    (level: string) =>
    (message: string, fields: Readonly<Record<string, unknown>> = {}): void =>
      write(`${textForLog({ level, time: new Date(now()).toISOString(), message, ...fields })}\n`);
  return { info: line('info'), warn: line('warn'), error: line('error') };
};
