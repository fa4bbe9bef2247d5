import { asArray, asRecord, isRecord, type Schema } from '../json.ts';
import { anthropicEvent } from './anthropic-reader.ts';
import { CallDrafts } from './call-drafts.ts';
import type { Reader } from './reader.ts';

/** Why a message ended before it was complete, by its `stopReason`. */
const LIMITS: Readonly<Record<string, string>> = {
  max_tokens: 'the model reached its limit of tokens',
  model_context_window_exceeded: 'the model ran out of context',
  guardrail_intervened: 'a guardrail stopped the model',
  content_filtered: 'a content filter stopped the model',
  malformed_tool_use: 'the model made a malformed call',
  malformed_model_output: 'the output of the model was malformed',
};

/**
 * Bedrock's Converse: blocks that start, grow and stop, each event under its own key. InvokeModel sends the model's own
 * events in base64 instead: Nova's are those of Converse; Claude's, the only ones with a type, are Anthropic's.
 */
export function bedrockReader(): Reader {
  const drafts = new CallDrafts();
  const event = (given: Schema): void => {
    const bytes = asRecord(given.chunk).bytes ?? given.bytes;
    const inner = bytes === undefined ? given : decode(bytes);
    if (inner === undefined) drafts.lose();
    else if (typeof inner.type === 'string') anthropicEvent(drafts, inner);
    else converseEvent(drafts, inner);
  };
  return { drafts, event };
}

function decode(bytes: unknown): Schema | undefined {
  try {
    const raw = typeof bytes === 'string' ? Uint8Array.from(atob(bytes), (sign) => sign.charCodeAt(0)) : bytes;
    const event: unknown = JSON.parse(new TextDecoder().decode(raw as Uint8Array));
    return isRecord(event) ? event : undefined;
  } catch {
    return undefined;
  }
}

function converseEvent(drafts: CallDrafts, event: Schema): void {
  const { contentBlockStart: start, contentBlockDelta: delta, contentBlockStop: stop, messageStop } = event;
  if (isRecord(event.messageStart)) drafts.newMessage();
  if (isRecord(start)) startBlock(drafts, start.contentBlockIndex, asRecord(start.start).toolUse, false);
  if (isRecord(delta)) {
    const use = asRecord(asRecord(delta.delta).toolUse);
    drafts.append(delta.contentBlockIndex, use.input);
  }
  if (isRecord(stop)) drafts.close(stop.contentBlockIndex);
  if (isRecord(messageStop)) endMessage(drafts, messageStop.stopReason);
  const blocks = blocksOf(event);
  if (blocks.length === 0) return;
  drafts.newMessage();
  for (const block of blocks) startBlock(drafts, Symbol('whole'), asRecord(block).toolUse, true);
  endMessage(drafts, event.stopReason);
}

function startBlock(drafts: CallDrafts, key: unknown, use: unknown, isClosed: boolean): void {
  // System tools, such as Nova's grounding, are run by Bedrock.
  if (!isRecord(use) || use.type === 'server_tool_use') {
    drafts.skip(key);
    return;
  }
  const value = isClosed ? (use.input === null ? 'null' : use.input) : undefined;
  drafts.start(key, { id: use.toolUseId, name: use.name, value, isClosed });
}

const blocksOf = (event: Schema): readonly unknown[] =>
  asArray(asRecord(asRecord(event.output).message ?? event.message ?? event).content);

function endMessage(drafts: CallDrafts, reason: unknown): void {
  if (typeof reason === 'string') drafts.endMessage(LIMITS[reason]);
}
