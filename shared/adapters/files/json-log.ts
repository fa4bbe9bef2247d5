import { textForLog } from '../../kernel/json.ts';
import type { Log } from '../../kernel/ports.ts';

const FLUSH_MS = 50;
const FLUSH_LINES = 256;

export interface JsonLog extends Log {
  flush(): void;
}

/**
 * One JSON object per line. Lines are buffered and formatted together, which is several times faster than formatting
 * each within its request.
 */
export const jsonLog = (write: (text: string) => void, now: () => number = Date.now): JsonLog => {
  let pending: Line[] = [];
  let timer: NodeJS.Timeout | undefined;

  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    if (pending.length === 0) return;
    const lines = pending;
    pending = [];
    write(formatLines(lines));
  };
  const add = (level: string) => (message: string, fields?: Line['fields']) => {
    pending.push({ level, at: now(), message, fields });
    if (pending.length >= FLUSH_LINES) flush();
    else timer ??= setTimeout(flush, FLUSH_MS).unref();
  };
  return { info: add('info'), warn: add('warn'), error: add('error'), flush };
};

interface Line {
  readonly level: string;
  readonly at: number;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>> | undefined;
}

const formatLines = (lines: readonly Line[]): string => {
  let text = '';
  let last: Line | undefined;
  let head = '';
  for (const line of lines) {
    // Most lines of one moment start alike.
    if (last === undefined || !isAlike(line, last)) head = formatHead(line);
    last = line;
    const rest = textForLog(line.fields ?? {});
    text += rest === '{}' ? `${head}}\n` : `${head},${rest.slice(1)}\n`;
  }
  return text;
};

const isAlike = (one: Line, other: Line): boolean =>
  one.at === other.at && one.message === other.message && one.level === other.level;

const formatHead = ({ level, at, message }: Line): string =>
  `{"level":"${level}","time":"${new Date(at).toISOString()}","message":${JSON.stringify(message)}`;
