import { asArray, asRecord, isRecord, type Schema } from '../json.ts';
import { type CallDrafts, isId } from './call-drafts.ts';
import { chatReader } from './chat-reader.ts';
import type { Reader } from './reader.ts';

/** What Mistral's SDK writes where the API sent no id. */
const NO_ID = 'null';

/** Mistral's chat, and its conversations, which answer with entries. The form of each event tells which it is. */
export function mistralReader(): Reader {
  const chat = chatReader({ noId: NO_ID });
  const { drafts } = chat;
  return {
    drafts,
    event(event) {
      const said = isRecord(event.data) ? event.data : event;
      if (isConversation(said)) conversationEvent(drafts, said);
      else chat.event(event);
    },
  };
}

const isConversation = ({ type, outputs }: Schema): boolean =>
  Array.isArray(outputs) || (typeof type === 'string' && type.includes('.'));

/** Reads entries at once, or event by event. Only `function.call` calls our tools; Mistral runs the others itself. */
function conversationEvent(drafts: CallDrafts, event: Schema): void {
  const { type } = event;
  if (type === 'conversation.response.started') drafts.newMessage();
  else if (type === 'conversation.response.done') drafts.endMessage();
  else if (type === 'function.call.delta') grow(drafts, event);
  else if (type === 'function.call') addEntry(drafts, event);
  else if (Array.isArray(event.outputs)) {
    drafts.newMessage();
    for (const entry of asArray(event.outputs).map(asRecord)) {
      if (entry.type === 'function.call') addEntry(drafts, entry);
    }
  }
}

function addEntry(drafts: CallDrafts, entry: Schema): void {
  const value = entry.arguments === null ? 'null' : entry.arguments;
  if (isOurs(entry)) drafts.whole({ id: callId(entry), name: entry.name, value, form: 'conversation' });
}

/** Every fragment of a call has its id and its name; only the arguments grow. */
function grow(drafts: CallDrafts, event: Schema): void {
  const key = callId(event) ?? event.id ?? event.output_index ?? event.outputIndex;
  if (!isOurs(event)) {
    drafts.skip(key);
    return;
  }
  if (drafts.isSkipped(key)) return;
  const { name, arguments: given } = event;
  const draft = drafts.at(key) ?? drafts.start(key, { id: callId(event), name, form: 'conversation' });
  if (isRecord(given)) draft.value = given;
  else drafts.append(key, given);
}

/** A call that awaits confirmation is of a connector or a tool of Mistral's own, and runs there. */
const isOurs = (call: Schema): boolean => typeof (call.confirmation_status ?? call.confirmationStatus) !== 'string';

function callId(call: Schema): unknown {
  const id = call.tool_call_id ?? call.toolCallId;
  return isId(id) && id !== NO_ID ? id : undefined;
}
