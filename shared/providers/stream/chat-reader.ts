import { asArray, asRecord, asText, isRecord, type Schema } from '../json.ts';
import type { CallForm } from '../types.ts';
import { type CallDraft, CallDrafts, isId } from './call-drafts.ts';
import type { Reader } from './reader.ts';

/** Why a completion ended early, by its `finish_reason`, as providers that follow OpenAI name it. */
const LIMITS: Readonly<Record<string, string>> = {
  length: 'the model reached its limit of tokens',
  max_tokens: 'the model reached its limit of tokens',
  model_length: 'the model reached its limit of tokens',
  content_filter: 'a content filter stopped the model',
  error: 'the model failed',
  insufficient_system_resource: 'the provider ran out of resources',
};

interface Dialect {
  /** The placeholder for a missing id. */
  readonly noId?: string;
}

/** Chat Completions and all APIs that follow it: whole messages, or deltas whose calls are identified by index. */
export function chatReader({ noId }: Dialect = {}): Reader {
  const drafts = new CallDrafts();
  let isEnded = false;
  const idOf = (call: Schema): unknown => (call.id === noId ? undefined : call.id);

  const fragments = (delta: Schema): void => {
    const calls = withEarlier(readToolCalls(delta), delta);
    // A delta without id and name continues a call, even after the end of its message.
    if (isEnded && calls.some((call) => isId(idOf(call)) || isNamed(asRecord(call.function).name))) {
      drafts.newMessage();
      isEnded = false;
    }
    for (const call of calls) addFragment(drafts, call, idOf(call));
  };
  const whole = (message: Schema): void => {
    const calls = withEarlier(readToolCalls(message), message);
    if (calls.length > 0) drafts.newMessage();
    for (const call of calls) {
      const { name, arguments: given } = asRecord(call.function);
      const value = given === null ? 'null' : given;
      const form = callForm(call);
      if (isOurs(call)) drafts.whole({ id: idOf(call), name, value, signature: signatureOf(call), form });
    }
  };

  return {
    drafts,
    event(event) {
      // Mistral's SDK wraps each chunk in `data`.
      const chunk = isRecord(event.data) ? event.data : event;
      const choice = asRecord(asArray(chunk.choices).find((each) => (asRecord(each).index ?? 0) === 0));
      if (isRecord(choice.delta)) fragments(choice.delta);
      else if (isRecord(choice.message)) whole(choice.message);
      else if (!Array.isArray(chunk.choices)) whole(isRecord(chunk.message) ? chunk.message : chunk);
      const reason = choice.finish_reason ?? choice.finishReason;
      if (typeof reason !== 'string' || reason === '') return;
      drafts.endMessage(LIMITS[reason]);
      isEnded = true;
    },
  };
}

/** The tool calls of a chat message, in either spelling. */
export const readToolCalls = (message: Schema): readonly Schema[] =>
  asArray(message.tool_calls ?? message.toolCalls).filter(isRecord);

/** The one call of a message in the form older than `tool_calls`: it has no id, and gets a key of its own here. */
const EARLIER = 'function_call';

/** Where both forms are given, they are the same call. */
const withEarlier = (calls: readonly Schema[], { function_call: earlier }: Schema): readonly Schema[] =>
  calls.length === 0 && isRecord(earlier) ? [{ index: EARLIER, function: earlier }] : calls;

const callForm = ({ index }: Schema): CallForm | undefined => (index === EARLIER ? EARLIER : undefined);

/** Custom tools and those that the provider runs have a type and no function. */
const isOurs = ({ type, custom }: Schema): boolean =>
  custom === undefined && (typeof type !== 'string' || type === '' || type === 'function');

/** Gemini's thought signature, as its OpenAI-compatible endpoint sends it. */
const signatureOf = ({ extra_content: extra }: Schema): string | undefined =>
  asText(asRecord(asRecord(extra).google).thought_signature);

function addFragment(drafts: CallDrafts, call: Schema, id: unknown): void {
  const { name, arguments: given } = asRecord(call.function);
  const { index } = call;
  const key = typeof index === 'number' || index === EARLIER ? index : isId(id) ? id : undefined;
  if (!isOurs(call)) {
    drafts.skip(key);
    return;
  }
  const isBare = !isId(id) && !isNamed(name);
  if (isBare && (drafts.isSkipped(key) || given === undefined)) return;
  const known = key === undefined ? (isBare ? drafts.last : undefined) : drafts.at(key);
  const draft = known && !isAnother(known, id, name) ? known : drafts.start(key, { id, name, form: callForm(call) });
  if (draft === known) rename(draft, id, name);
  draft.signature ??= signatureOf(call);
  if (typeof given === 'string' && given !== '') draft.pieces.push(given);
  else if (isRecord(given) || Array.isArray(given)) {
    draft.value = given;
    draft.isClosed = true;
  }
}

/**
 * Some providers send every call under one index, distinguished by id or only by name; others give every fragment an id
 * of its own, but a name only to the first.
 */
const isAnother = (known: CallDraft, id: unknown, name: unknown): boolean =>
  isId(id) && known.id !== undefined
    ? known.id !== id && (isNamed(name) || !isNamed(known.name))
    : !isId(id) && isNamed(name) && isNamed(known.name) && name !== known.name && known.pieces.length > 0;

const isNamed = (name: unknown): name is string => typeof name === 'string' && name !== '';

/** A name may arrive late, in parts, or again with every fragment. */
function rename(draft: CallDraft, id: unknown, name: unknown): void {
  if (draft.id === undefined && isId(id)) draft.id = id;
  if (!isNamed(name) || draft.name === name) return;
  if (!isNamed(draft.name)) draft.name = name;
  else if (draft.pieces.length === 0) draft.name += name;
}
