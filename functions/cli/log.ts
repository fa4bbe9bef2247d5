import { jsonLog } from '../../shared/adapters/files/json-log.ts';
import type { Log } from '../../shared/kernel/ports.ts';
import { wrap } from './wrap.ts';

export interface CliLog extends Log {
  flush(): void;
}

interface Options {
  /** `json` is for machines. */
  readonly format: 'lines' | 'json';
  /** Also logs successes, and every field. */
  readonly isVerbose: boolean;
  readonly write: (text: string) => void;
  /** The width of the terminal. */
  readonly width: number;
}

/** Messages that the command's own output already contains. */
const TOLD: ReadonlySet<string> = new Set(['call refused']);

/** The log of a command: warnings and errors, each once and on one line. */
export const cliLog = ({ format, isVerbose, write, width }: Options): CliLog => {
  if (format === 'json') return isVerbose ? jsonLog(write) : { ...jsonLog(write), info: () => {} };
  const said = new Set<string>();
  const say =
    (level: string) =>
    (message: string, fields: Readonly<Record<string, unknown>> = {}): void => {
      if (!isVerbose && TOLD.has(message)) return;
      const line = `${level}: ${[message, ...Object.entries(fields).flatMap(showField(isVerbose))].join(' · ')}\n`;
      if (said.has(line)) return;
      said.add(line);
      write(wrap(line, width));
    };
  return { info: isVerbose ? say('info') : () => {}, warn: say('warning'), error: say('error'), flush: () => {} };
};

const LONGEST = 300;

const showField =
  (isVerbose: boolean) =>
  ([name, value]: readonly [string, unknown]): readonly string[] => {
    if (name === 'stack') return isVerbose ? [`\n${value}`] : [];
    const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
    return [`${name} ${text.replaceAll(/\s+/g, ' ').slice(0, LONGEST)}`];
  };
