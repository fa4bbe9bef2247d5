import { omitUndefined } from '../kernel/omit-undefined.ts';
import type { Parts } from './definer.ts';
import { encodeName, FUNCTION_NAME } from './names.ts';
import { outputText } from './results.ts';
import { openaiStrict } from './schema/dialect.ts';
import type { SchemaSize } from './schema/measure.ts';
import type { ToolResult } from './types.ts';

/** A function tool of Chat Completions and compatible APIs. */
export interface ChatTool {
  readonly type: 'function';
  readonly function: {
    readonly name: string;
    readonly description?: string;
    readonly parameters: Record<string, unknown>;
    readonly strict?: boolean;
  };
}

export interface ChatToolMessage {
  readonly role: 'tool';
  readonly tool_call_id: string;
  readonly content: string;
}

/** The result of a `function_call`, the older form, which is identified by the name of its function. */
export interface ChatFunctionMessage {
  readonly role: 'function';
  readonly name: string;
  readonly content: string;
}

export const chatTool = ({ name, description, parameters, strict }: Parts): ChatTool => ({
  type: 'function',
  function: omitUndefined({ name, description, parameters, strict: strict || undefined }),
});

/** The limits of OpenAI's strict form. */
function beyondOpenai(size: SchemaSize): string | undefined {
  if (size.fields > 5000) return `a strict schema has at most 5000 properties, this one ${size.fields}`;
  if (size.depth > 10) return `a strict schema has at most 10 levels, this one ${size.depth}`;
  if (size.enumValues > 1000) return `a strict schema has at most 1000 enum values, this one ${size.enumValues}`;
  if (size.longestEnum > 15_000)
    return `an enum of over 250 values has at most 15000 characters, this one ${size.longestEnum}`;
  if (size.characters > 120_000)
    return `a strict schema has at most 120000 characters of names and values, this one ${size.characters}`;
  return undefined;
}

export const openaiStrictForm = { dialect: openaiStrict, refuses: beyondOpenai };

export const chatMessage = (result: ToolResult): ChatToolMessage | ChatFunctionMessage =>
  result.form === 'function_call'
    ? { role: 'function', name: encodeName(result.name, FUNCTION_NAME), content: outputText(result) }
    : { role: 'tool', tool_call_id: String(result.id), content: outputText(result) };
