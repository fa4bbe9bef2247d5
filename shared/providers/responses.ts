import { arrayOf, isObject, objectOf, type Schema, textOf } from './json.ts';
import type { CallId, RawCall, Result } from './types.ts';

/**
 * What a model sent, as a list of objects: one whole response, streamed events in an array, or the text of either
 * (JSON, server-sent events, or one JSON document a line).
 */
export function eventsOf(response: unknown): readonly Schema[] {
  if (typeof response === 'string') return eventsOf(parseText(response));
  return (Array.isArray(response) ? response : [response]).filter(isObject);
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text.split('\n').flatMap((line) => parseLine(line.replace(/^data:/, '').trim()));
  }
}

function parseLine(line: string): readonly unknown[] {
  if (!line.startsWith('{')) return [];
  try {
    return [JSON.parse(line)];
  } catch {
    return [];
  }
}

/** Calls put together from fragments, in the order in which they began; linear in the length of the stream. */
export class Assembly {
  readonly #calls = new Map<string, { id?: CallId | undefined; name: string[]; parts: string[]; whole?: unknown }>();
  #last: string | undefined;

  /** Adds a fragment to the call under a key; without a key to a new call if it has an id, otherwise to the last. */
  add(key: string | undefined, fragment: { id?: unknown; name?: unknown; arguments?: unknown }): void {
    const target = this.#target(key, fragment.id);
    if (isId(fragment.id) && target.id === undefined) target.id = fragment.id;
    if (typeof fragment.name === 'string' && target.name.join('') !== fragment.name) target.name.push(fragment.name);
    if (typeof fragment.arguments === 'string') target.parts.push(fragment.arguments);
    else if (fragment.arguments !== undefined && fragment.arguments !== null) target.whole = fragment.arguments;
  }

  /** Adds a call that came in one piece. */
  whole(call: { id?: unknown; name?: unknown; arguments?: unknown }): void {
    this.finish(`whole ${this.#calls.size}`, call);
  }

  /** Replaces what came in fragments by what came whole. */
  finish(key: string, call: { id?: unknown; name?: unknown; arguments?: unknown }): void {
    const target = this.#target(key, undefined);
    if (isId(call.id)) target.id = call.id;
    if (typeof call.name === 'string') target.name.splice(0, target.name.length, call.name);
    if (call.arguments !== undefined) target.whole = call.arguments;
  }

  calls(): readonly RawCall[] {
    return [...this.#calls.values()].map(({ id, name, parts, whole }) => ({
      id,
      name: name.join(''),
      arguments: whole ?? (parts.length > 0 ? parts.join('') : ''),
    }));
  }

  #target(
    key: string | undefined,
    id: unknown,
  ): { id?: CallId | undefined; name: string[]; parts: string[]; whole?: unknown } {
    const isNew = key === undefined && (isId(id) || this.#last === undefined);
    const place = key ?? (isNew ? `new ${this.#calls.size}` : (this.#last ?? ''));
    this.#last = place;
    const known = this.#calls.get(place);
    if (known) return known;
    const fresh = { name: [], parts: [] };
    this.#calls.set(place, fresh);
    return fresh;
  }
}

export const isId = (value: unknown): value is CallId =>
  (typeof value === 'string' && value !== '') || typeof value === 'number';

/** The result as text: what a tool said as it said it, anything else as JSON. */
export function outputText(result: Result): string {
  if (result.error !== undefined) return JSON.stringify({ error: errorText(result.error) });
  return typeof result.output === 'string' ? result.output : (JSON.stringify(result.output) ?? 'null');
}

/** The sentence of an error, whatever form it has. */
export function errorText(error: unknown): string {
  if (typeof error === 'string') return error;
  const { code, message } = objectOf(error);
  const said = textOf(message) ?? JSON.stringify(error) ?? 'failed';
  return typeof code === 'string' ? `${code}: ${said}` : said;
}

/** The tool calls of a chat message, under either spelling. */
export const toolCallsOf = (message: Schema): readonly Schema[] =>
  arrayOf(message.tool_calls ?? message.toolCalls).filter(isObject);
