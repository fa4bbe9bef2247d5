import { asArray, asRecord, asText, isRecord, type Schema } from '../json.ts';
import { type CallDraft, CallDrafts, isId } from './call-drafts.ts';
import { interactionEvent, isInteraction } from './interactions-reader.ts';
import { PartialArguments } from './partial-arguments.ts';
import type { Reader } from './reader.ts';

const OPEN = 'open';

/**
 * Gemini's generateContent and Live API, where calls are parts, whole or value by value, and the interactions API,
 * where they are steps. The form of each event tells which API it belongs to.
 */
export function geminiReader(): Reader {
  const drafts = new CallDrafts();
  const partial = new WeakMap<CallDraft, PartialArguments>();
  let response: unknown;
  return {
    drafts,
    event(event) {
      if (isInteraction(event)) {
        interactionEvent(drafts, event);
        return;
      }
      if (event.responseId !== undefined && event.responseId !== response) drafts.newMessage();
      response = event.responseId ?? response;
      const candidate = asRecord(asArray(event.candidates).find((each) => (asRecord(each).index ?? 0) === 0));
      for (const part of readParts(event, candidate)) addPart(drafts, partial, asRecord(part));
      const reason = candidate.finishReason ?? candidate.finish_reason;
      if (typeof reason === 'string' && reason !== 'FINISH_REASON_UNSPECIFIED') endMessage(drafts, reason);
    },
  };
}

/** Calls are recognised by their part, not by the finish reason. */
function readParts(event: Schema, candidate: Schema): readonly unknown[] {
  const live = asArray(asRecord(event.toolCall).functionCalls).map((functionCall) => ({ functionCall }));
  if (live.length > 0) return live;
  return asArray(asRecord(candidate.content ?? event.content ?? event).parts);
}

function addPart(drafts: CallDrafts, partial: WeakMap<CallDraft, PartialArguments>, part: Schema): void {
  const call = part.functionCall ?? part.function_call;
  if (!isRecord(call)) {
    if (part.text !== '') drafts.endBlock();
    return;
  }
  const open = drafts.at(OPEN);
  const isBare = isContinuation(call, open);
  // An empty call ends the open one before it; without an open one it is ignored.
  if (isBare && !open && Object.keys(call).length === 0) return;
  if (open && !isBare) open.cut ??= 'another call began before they ended';
  const draft = isBare && open ? open : drafts.start(OPEN, { id: call.id, name: call.name });
  draft.signature ??= asText(part.thoughtSignature) ?? asText(part.thought_signature);
  addArguments(draft, call, partial);
  if (call.willContinue === true) return;
  draft.isClosed = true;
  drafts.forget(OPEN);
  const fault = partial.get(draft)?.fault;
  if (fault !== undefined) draft.cut ??= fault;
}

/** A continuation has no name, or the same name again beside its values, and no other id. */
function isContinuation(call: Schema, open: CallDraft | undefined): boolean {
  const isSameName = !isId(call.name) || (call.name === open?.name && Array.isArray(call.partialArgs));
  return isSameName && (!isId(call.id) || call.id === open?.id);
}

function addArguments(draft: CallDraft, call: Schema, partial: WeakMap<CallDraft, PartialArguments>): void {
  if (call.args !== undefined) draft.value = call.args === null ? 'null' : call.args;
  else draft.value ??= {};
  if (!Array.isArray(call.partialArgs)) return;
  const values = partial.get(draft) ?? new PartialArguments();
  partial.set(draft, values);
  for (const part of call.partialArgs) values.add(asRecord(part));
  draft.value = call.args === undefined ? values.value : { ...values.value, ...asRecord(call.args) };
}

/** A call that should have continued did not, whatever the reason: it stays incomplete. */
function endMessage(drafts: CallDrafts, reason: string): void {
  const open = drafts.at(OPEN);
  if (open) open.cut ??= 'the model stopped inside the arguments';
  drafts.endMessage(reason === 'STOP' ? undefined : `the model stopped for the reason ${reason.slice(0, 40)}`);
}
