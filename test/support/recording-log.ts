import type { Log } from '../../shared/kernel/ports.ts';

export interface Recorded {
  readonly level: string;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** A log that can be read back. */
export const recordingLog = (): Log & { readonly lines: readonly Recorded[] } => {
  const lines: Recorded[] = [];
  const record =
    (level: string) =>
    (message: string, fields: Recorded['fields'] = {}) =>
      void lines.push({ level, message, fields });
  return { lines, info: record('info'), warn: record('warn'), error: record('error') };
};
