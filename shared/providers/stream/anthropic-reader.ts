import { asArray, asRecord, asText, isRecord, type Schema } from '../json.ts';
import { CallDrafts, type Start } from './call-drafts.ts';
import type { Reader } from './reader.ts';

/** Why a message ended before it was complete, by its `stop_reason`. */
const LIMITS: Readonly<Record<string, string>> = {
  max_tokens: 'the model reached max_tokens',
  model_context_window_exceeded: 'the model ran out of context',
  refusal: 'the model was stopped by a refusal',
};

/**
 * Anthropic's Messages: blocks that start, grow and stop. `tool_use` calls our tools; `server_tool_use`, `mcp_tool_use`
 * and Anthropic's own toolsets use the same deltas but run elsewhere.
 */
export function anthropicReader(): Reader {
  const drafts = new CallDrafts();
  return { drafts, event: (event) => anthropicEvent(drafts, event) };
}

/** Reads the calls from an event, or from a whole message. */
export function anthropicEvent(drafts: CallDrafts, event: Schema): void {
  const { type, index, message } = event;
  if (type === 'message_start') {
    drafts.newMessage();
    whole(drafts, asRecord(message));
  } else if (type === 'content_block_start') startBlock(drafts, index, asRecord(event.content_block), false);
  else if (type === 'content_block_delta') {
    const delta = asRecord(event.delta);
    if (delta.type === 'input_json_delta') drafts.append(index, delta.partial_json);
  } else if (type === 'content_block_stop') drafts.close(index);
  else if (type === 'message_delta') endMessage(drafts, asRecord(event.delta).stop_reason);
  else if (Array.isArray(event.content) || isRecord(message)) {
    drafts.newMessage();
    whole(drafts, isRecord(message) ? message : event);
  }
}

function whole(drafts: CallDrafts, message: Schema): void {
  for (const block of asArray(message.content)) startBlock(drafts, Symbol('whole'), asRecord(block), true);
  endMessage(drafts, message.stop_reason);
}

function startBlock(drafts: CallDrafts, key: unknown, block: Schema, isClosed: boolean): void {
  // When another model takes over, the output of the first one ends.
  if (block.type === 'fallback' && drafts.last) drafts.last.cut ??= 'another model took over from the one that called';
  if (block.type !== 'tool_use' || isNamed(block.toolset_name)) {
    drafts.skip(key);
    return;
  }
  const call: Start = { id: block.id, name: block.name, caller: readCaller(block.caller), isClosed };
  drafts.start(key, { ...call, value: isClosed ? wholeInput(block.input) : startInput(block.input) });
}

const isNamed = (value: unknown): boolean => asText(value) !== undefined;

const wholeInput = (input: unknown): unknown => (input === null ? 'null' : input);

/** At the start of a block the input is an empty object, unless the block arrived whole. */
const startInput = (input: unknown): unknown => (Object.keys(asRecord(input)).length > 0 ? input : undefined);

/** The caller of a call from code that the provider runs; undefined for a call by the model itself. */
export const readCaller = (caller: unknown): Schema | undefined =>
  isRecord(caller) && caller.type !== 'direct' ? caller : undefined;

function endMessage(drafts: CallDrafts, reason: unknown): void {
  if (typeof reason === 'string') drafts.endMessage(LIMITS[reason]);
}
