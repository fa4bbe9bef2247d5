import { openaiStrictForm } from './chat.ts';
import { definer, provider } from './definer.ts';
import { arrayOf, isObject, objectOf, type Schema } from './json.ts';
import { FUNCTION_NAME } from './names.ts';
import { Assembly, eventsOf, outputText } from './responses.ts';
import type { RawCall } from './types.ts';

export interface ResponsesTool {
  readonly type: 'function';
  readonly name: string;
  readonly description?: string;
  readonly strict: boolean;
  readonly parameters: Record<string, unknown>;
  readonly defer_loading?: boolean;
}

export interface ResponsesMessage {
  readonly type: 'function_call_output';
  readonly call_id: string;
  readonly output: string;
}

/** The longest output the API takes. */
const LONGEST = 10_485_760;

/** OpenAI's Responses API: flat definitions, items instead of messages. */
export const openaiResponsesForm = /* @__PURE__ */ definer({
  label: 'OpenAI',
  names: FUNCTION_NAME,
  // Without `strict` the API would try the strict form by itself and change what the schema means.
  entry: ({ name, description, parameters, strict, options }): ResponsesTool => ({
    type: 'function',
    name,
    ...(description ? { description } : {}),
    strict,
    parameters,
    ...(options.defer ? { defer_loading: true } : {}),
  }),
  strict: openaiStrictForm,
  search: { type: 'tool_search' },
});

export const openaiResponses = /* @__PURE__ */ provider(openaiResponsesForm, {
  names: FUNCTION_NAME,
  parse: parseResponses,
  format: (results): readonly ResponsesMessage[] =>
    results.map((result) => ({
      type: 'function_call_output',
      call_id: String(result.id),
      output: shorten(outputText(result)),
    })),
});

function parseResponses(response: unknown): readonly RawCall[] {
  const events = eventsOf(response);
  const whole = events.findLast((event) => isObject(event.response) && arrayOf(event.response.output).length > 0);
  const assembly = new Assembly();
  if (whole) {
    addItems(assembly, arrayOf(objectOf(whole.response).output));
    return assembly.calls();
  }
  const items = new Map<unknown, string>();
  for (const event of events) {
    if (Array.isArray(event.output)) addItems(assembly, event.output);
    else if (event.type === 'function_call') addItems(assembly, [event]);
    else addEvent(assembly, event, items);
  }
  return assembly.calls();
}

function addItems(assembly: Assembly, items: readonly unknown[]): void {
  for (const item of items) {
    if (!isObject(item) || item.type !== 'function_call') continue;
    assembly.whole({
      id: item.call_id ?? item.id,
      name: item.name,
      arguments: item.arguments === null ? 'null' : item.arguments,
    });
  }
}

/** Fragments name their item by its id; the item itself tells the id of the call. */
function addEvent(assembly: Assembly, event: Schema, items: Map<unknown, string>): void {
  const item = objectOf(event.item);
  const id = item.id ?? event.item_id ?? event.output_index;
  const key = items.get(id) ?? `item ${items.size}`;
  if (event.type === 'response.output_item.added' && item.type === 'function_call') {
    items.set(id, key);
    assembly.add(key, { id: item.call_id, name: item.name });
  } else if (event.type === 'response.output_item.done' && item.type === 'function_call') {
    items.set(id, key);
    assembly.finish(key, { id: item.call_id, name: item.name, arguments: item.arguments });
  } else if (event.type === 'response.function_call_arguments.delta') {
    items.set(id, key);
    assembly.add(key, { arguments: event.delta });
  } else if (event.type === 'response.function_call_arguments.done' && items.has(id)) {
    assembly.finish(key, { arguments: event.arguments });
  }
}

const shorten = (text: string): string =>
  text.length > LONGEST ? `${text.slice(0, LONGEST - 14)}… [shortened]` : text;
