import { asRecord } from '../json.ts';
import { CallDrafts } from './call-drafts.ts';
import { readToolCalls } from './chat-reader.ts';
import type { Reader } from './reader.ts';

/** Ollama's own chat: every line has whole calls, and the last one has the finish reason. */
export function ollamaReader(): Reader {
  const drafts = new CallDrafts();
  return {
    drafts,
    event(event) {
      for (const call of readToolCalls(asRecord(event.message ?? event))) {
        const { name, arguments: given } = asRecord(call.function);
        drafts.whole({ id: call.id, name, value: given === null ? 'null' : given });
      }
      if (event.done !== true) return;
      drafts.endMessage(event.done_reason === 'length' ? 'the model reached its limit of tokens' : undefined);
      drafts.newMessage();
    },
  };
}
