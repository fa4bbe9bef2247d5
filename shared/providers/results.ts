import { asRecord, asText } from './json.ts';
import type { ToolResult } from './types.ts';

/** The result as text: what a tool said as it said it, anything else as JSON. */
export function outputText(result: ToolResult): string {
  if (result.error !== undefined) return JSON.stringify({ error: errorText(result.error) });
  return typeof result.output === 'string' ? result.output : (JSON.stringify(result.output) ?? 'null');
}

/** The sentence of an error, whatever form it has. */
export function errorText(error: unknown): string {
  if (typeof error === 'string') return error;
  const { code, message } = asRecord(error);
  const said = asText(message) ?? JSON.stringify(error) ?? 'failed';
  return typeof code === 'string' ? `${code}: ${said}` : said;
}
