import { asRecord, asText } from './json.ts';
import type { ToolResult } from './types.ts';

/** The result as text: strings unchanged, anything else as JSON. */
export function outputText(result: ToolResult): string {
  if (result.error !== undefined) return JSON.stringify({ error: errorText(result.error) });
  return typeof result.output === 'string' ? result.output : (JSON.stringify(result.output) ?? 'null');
}

/** The message of an error in any form. */
export function errorText(error: unknown): string {
  if (typeof error === 'string') return error;
  const { code, message } = asRecord(error);
  const said = asText(message) ?? JSON.stringify(error) ?? 'failed';
  return typeof code === 'string' ? `${code}: ${said}` : said;
}
