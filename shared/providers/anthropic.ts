import { definer, provider } from './definer.ts';
import { arrayOf, isObject, objectOf } from './json.ts';
import { FUNCTION_NAME } from './names.ts';
import { Assembly, errorText, eventsOf, outputText } from './responses.ts';
import { ANTHROPIC_KEYS, anthropicStrict } from './schema/dialect.ts';
import type { RawCall } from './types.ts';

export interface AnthropicTool {
  readonly name: string;
  readonly description?: string;
  readonly input_schema: { readonly type: 'object' } & Record<string, unknown>;
  readonly strict?: boolean;
  readonly defer_loading?: boolean;
}

export interface AnthropicMessage {
  readonly role: 'user';
  readonly content: {
    readonly type: 'tool_result';
    readonly tool_use_id: string;
    readonly content: string;
    readonly is_error?: boolean;
  }[];
}

/** Anthropic's Messages API. */
export const anthropicForm = /* @__PURE__ */ definer({
  label: 'Anthropic',
  names: FUNCTION_NAME,
  keys: ANTHROPIC_KEYS,
  entry: ({ name, description, parameters, strict, options }): AnthropicTool => ({
    name,
    ...(description ? { description } : {}),
    input_schema: { ...parameters, type: 'object' },
    ...(strict ? { strict } : {}),
    ...(options.defer ? { defer_loading: true } : {}),
  }),
  strict: {
    dialect: anthropicStrict,
    budget: { tools: 20, optional: 24, unions: 16, fields: Number.POSITIVE_INFINITY },
  },
  // At least one tool must not be deferred: it is this one.
  search: { type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' },
});

export const anthropic = /* @__PURE__ */ provider(anthropicForm, {
  names: FUNCTION_NAME,
  keys: ANTHROPIC_KEYS,
  parse: parseAnthropic,
  // All results of a turn belong into one message.
  format: (results): readonly AnthropicMessage[] => [
    {
      role: 'user',
      content: results.map((result) => ({
        type: 'tool_result',
        tool_use_id: String(result.id),
        content: result.error === undefined ? outputText(result) : errorText(result.error),
        ...(result.error === undefined ? {} : { is_error: true }),
      })),
    },
  ],
});

function parseAnthropic(response: unknown): readonly RawCall[] {
  const assembly = new Assembly();
  for (const event of eventsOf(response)) {
    const started = objectOf(event.content_block);
    const delta = objectOf(event.delta);
    const key = `block ${event.index}`;
    if (event.type === 'content_block_start' && started.type === 'tool_use') {
      assembly.add(key, { id: started.id, name: started.name });
      // The input at the start is an empty object, unless the block came whole.
      if (Object.keys(objectOf(started.input)).length > 0) assembly.finish(key, { arguments: started.input });
    } else if (delta.type === 'input_json_delta') {
      assembly.add(key, { arguments: delta.partial_json });
    }
    for (const block of arrayOf(isObject(event.message) ? event.message.content : event.content)) {
      if (!isObject(block) || block.type !== 'tool_use') continue;
      assembly.whole({ id: block.id, name: block.name, arguments: block.input === null ? 'null' : block.input });
    }
  }
  return assembly.calls();
}
