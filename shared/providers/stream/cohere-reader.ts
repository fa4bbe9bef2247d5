import { asRecord, isRecord } from '../json.ts';
import { CallDrafts } from './call-drafts.ts';
import { readToolCalls } from './chat-reader.ts';
import type { Reader } from './reader.ts';

/** Why a message ended before it was complete, by its `finish_reason`. */
const LIMITS: Readonly<Record<string, string>> = {
  MAX_TOKENS: 'the model reached its limit of tokens',
  ERROR: 'the model failed',
  ERROR_LIMIT: 'the model ran out of context',
  ERROR_TOXIC: 'a content filter stopped the model',
  TIMEOUT: 'the model ran out of time',
};

/** Cohere's chat, version 2: a whole message, or calls that start, grow and end under an index. */
export function cohereReader(): Reader {
  const drafts = new CallDrafts();
  return {
    drafts,
    event(event) {
      const { type, index } = event;
      const delta = asRecord(event.delta);
      const message = asRecord(isRecord(event.delta) ? delta.message : (event.message ?? event));
      if (type === 'message-start') drafts.newMessage();
      const part = message.tool_calls ?? message.toolCalls;
      if (isRecord(part)) {
        const { name, arguments: text } = asRecord(part.function);
        if (type === 'tool-call-start' || drafts.at(index) === undefined) drafts.start(index, { id: part.id, name });
        drafts.append(index, text);
      }
      if (type === 'tool-call-end') drafts.close(index);
      const calls = readToolCalls(message);
      if (calls.length > 0) drafts.newMessage();
      for (const call of calls) {
        const { name, arguments: given } = asRecord(call.function);
        drafts.whole({ id: call.id, name, value: given === null ? 'null' : given });
      }
      const reason = delta.finish_reason ?? delta.finishReason ?? event.finish_reason ?? event.finishReason;
      if (typeof reason === 'string') drafts.endMessage(LIMITS[reason]);
    },
  };
}
