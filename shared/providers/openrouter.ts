import { omitUndefined } from '../kernel/omit-undefined.ts';
import {
  type ChatFunctionMessage,
  type ChatTool,
  type ChatToolMessage,
  chatMessage,
  chatTool,
  openaiStrictForm,
} from './chat.ts';
import { definer, provider } from './definer.ts';
import { FUNCTION_NAME } from './names.ts';
import { core } from './schema/dialect.ts';
import { chatReader } from './stream/chat-reader.ts';

export interface OpenrouterTool extends ChatTool {
  readonly defer_loading?: true;
}
export type OpenrouterMessage = ChatToolMessage | ChatFunctionMessage;

/** OpenRouter: Chat Completions for any model, with a tool search of its own. */
export const openrouterForm = /* @__PURE__ */ definer({
  label: 'OpenRouter',
  names: FUNCTION_NAME,
  entry: (parts): OpenrouterTool =>
    omitUndefined({ ...chatTool(parts), defer_loading: parts.options.defer || undefined }),
  dialect: () => core,
  strict: openaiStrictForm,
  search: { type: 'openrouter:tool_search' },
  remarks: (options) =>
    options.strict ? ['whether the strict form is enforced depends on the endpoint OpenRouter chooses'] : [],
});

export const openrouter = /* @__PURE__ */ provider(openrouterForm, {
  names: FUNCTION_NAME,
  reader: () => chatReader(),
  format: (results): readonly OpenrouterMessage[] => results.map(chatMessage),
});
