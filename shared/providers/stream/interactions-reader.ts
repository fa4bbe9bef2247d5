import { asArray, asRecord, asText, isRecord, type Schema } from '../json.ts';
import { type CallDrafts, isId } from './call-drafts.ts';

const ENDED = new Set(['completed', 'requires_action', 'requires_continuation']);
const GOES_ON: ReadonlySet<unknown> = new Set(['in_progress', 'queued']);

/** Whether an event, or a whole response, is of Gemini's interactions API. */
export const isInteraction = (event: Schema): boolean =>
  typeof event.event_type === 'string' ||
  event.object === 'interaction' ||
  Array.isArray(event.steps) ||
  Array.isArray(event.outputs);

/**
 * Steps that start, grow and stop, or all of them at once. Only `function_call` calls our tools; Google runs the
 * others.
 */
export function interactionEvent(drafts: CallDrafts, event: Schema): void {
  const { event_type: type, index } = event;
  const kind = String(type);
  if (kind === 'interaction.created' || kind === 'interaction.start') drafts.newMessage();
  else if (kind === 'step.start' || kind === 'content.start')
    startStep(drafts, index, asRecord(event.step ?? event.content), false);
  else if (kind === 'step.delta' || kind === 'content.delta') addDelta(drafts, index, asRecord(event.delta));
  else if (kind === 'step.stop' || kind === 'content.stop') drafts.close(index);
  else if (kind === 'interaction.completed' || kind === 'interaction.complete')
    wholeInteraction(drafts, asRecord(event.interaction));
  // A status update alone ends no call, but one that reports a failure leaves open calls incomplete.
  else if (kind === 'interaction.status_update' && !ENDED.has(String(event.status)))
    endInteraction(drafts, event.status);
  else if (type === undefined) {
    drafts.newMessage();
    wholeInteraction(drafts, event);
  }
}

/** Reads all steps at once, or at the end of a stream those that were not streamed. */
function wholeInteraction(drafts: CallDrafts, { steps, outputs, status }: Schema): void {
  const isClosed = !GOES_ON.has(status);
  const unknown = asArray(steps ?? outputs).filter((step) => !drafts.at(`step ${asRecord(step).id}`));
  for (const step of unknown) startStep(drafts, Symbol('step'), asRecord(step), isClosed);
  endInteraction(drafts, status);
}

function startStep(drafts: CallDrafts, key: unknown, step: Schema, isClosed: boolean): void {
  if (step.type !== 'function_call') {
    drafts.skip(key);
    return;
  }
  const given = step.arguments === null ? 'null' : step.arguments;
  const isEmpty = isRecord(given) && Object.keys(given).length === 0;
  const draft = drafts.start(key, {
    id: step.id,
    name: step.name,
    value: !isClosed && isEmpty ? undefined : given,
    signature: asText(step.signature),
    isClosed,
  });
  if (isId(step.id)) drafts.name(`step ${step.id}`, draft);
}

/** Arguments grow as text; earlier API revisions sent them whole, with the name. */
function addDelta(drafts: CallDrafts, index: unknown, delta: Schema): void {
  const isNew = delta.type === 'function_call' && !drafts.isSkipped(index);
  const draft = drafts.at(index) ?? (isNew ? drafts.start(index, { id: delta.id, name: delta.name }) : undefined);
  if (!draft) return;
  draft.name ??= delta.name;
  if (isId(delta.id)) {
    draft.id ??= delta.id;
    drafts.name(`step ${delta.id}`, draft);
  }
  const given = delta.arguments ?? delta.partial_arguments;
  if (typeof given === 'string') drafts.append(index, given);
  else if (isRecord(given)) draft.value = given;
}

function endInteraction(drafts: CallDrafts, status: unknown): void {
  if (typeof status !== 'string' || GOES_ON.has(status)) return;
  drafts.endMessage(ENDED.has(status) ? undefined : `the interaction ended as ${status.slice(0, 40)}`);
}
