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
import { chatReader } from './stream/chat-reader.ts';

export type OpenaiTool = ChatTool;
export type OpenaiMessage = ChatToolMessage | ChatFunctionMessage;

/** Requests with more functions are refused. */
const MAX_TOOLS = 128;

/** OpenAI Chat Completions. */
export const openaiForm = /* @__PURE__ */ definer({
  label: 'OpenAI',
  names: FUNCTION_NAME,
  entry: chatTool,
  strict: openaiStrictForm,
  remarks: (options, count) => [
    ...(options.defer ? ['Chat Completions cannot defer definitions: use openai-responses or mode=search'] : []),
    ...(count > MAX_TOOLS
      ? [`a request takes at most ${MAX_TOOLS} functions, these are ${count}: use allowed or mode=search`]
      : []),
  ],
});

export const openai = /* @__PURE__ */ provider(openaiForm, {
  names: FUNCTION_NAME,
  reader: () => chatReader(),
  format: (results): readonly OpenaiMessage[] => results.map(chatMessage),
});
