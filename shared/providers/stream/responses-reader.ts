import { asArray, asRecord, isRecord, type Schema } from '../json.ts';
import { readCaller } from './anthropic-reader.ts';
import { type CallDraft, CallDrafts } from './call-drafts.ts';
import type { Reader } from './reader.ts';

/** xAI, and OpenAI's realtime API, end with `response.done`, whatever the outcome. */
const ENDS = new Set([
  'response.completed',
  'response.done',
  'response.incomplete',
  'response.failed',
  'response.cancelled',
]);
const LIMITED = 'the model stopped before it was done';

/**
 * The Responses API, OpenAI's and its open form: items are added, grow and are done, and the whole response comes at
 * the end. Only `function_call` items, and searches that the client runs, are ours.
 */
export function responsesReader(): Reader {
  const drafts = new CallDrafts();
  return {
    drafts,
    event(event) {
      const { type, response } = event;
      if (type === 'response.created') drafts.newMessage();
      else if (type === 'response.output_item.added') added(drafts, event);
      else if (type === 'response.output_item.done') done(drafts, event, asRecord(event.item), event.output_index);
      else if (type === 'response.function_call_arguments.delta') {
        const draft = findDraft(drafts, event, {});
        if (typeof event.delta === 'string') draft?.pieces.push(event.delta);
      } else if (type === 'response.function_call_arguments.done') {
        const draft = findDraft(drafts, event, {});
        if (draft) finish(draft, event);
      } else if (isRecord(response) && ENDS.has(String(type))) {
        endResponse(drafts, response, type === 'response.incomplete');
      } else if (Array.isArray(event.output)) {
        drafts.newMessage();
        endResponse(drafts, event, false);
      } else if (isCall(event)) drafts.whole(readWholeCall(event));
    },
  };
}

const isCall = ({ type, execution }: Schema): boolean =>
  type === 'function_call' || (type === 'tool_search_call' && execution === 'client');

const isSearch = ({ type }: Schema): boolean => type === 'tool_search_call';

const readWholeCall = (item: Schema) => ({
  id: item.call_id ?? item.id,
  name: isSearch(item) ? 'tool_search' : item.name,
  value: item.arguments === null ? 'null' : item.arguments,
  caller: readCaller(item.caller),
  isSearch: isSearch(item),
  cut: item.status === 'incomplete' ? LIMITED : undefined,
});

/** Items are identified by index, or without one by id, which some providers change midway. */
const findDraft = (drafts: CallDrafts, event: Schema, item: Schema): CallDraft | undefined =>
  (typeof event.output_index === 'number' ? drafts.at(event.output_index) : undefined) ??
  drafts.at(item.id ?? event.item_id);

function added(drafts: CallDrafts, event: Schema): void {
  const item = asRecord(event.item);
  const key = event.output_index ?? item.id;
  if (!isCall(item)) {
    drafts.skip(key);
    return;
  }
  const draft = drafts.start(key, { ...readWholeCall(item), value: begun(item.arguments), cut: undefined });
  name(drafts, draft, item);
}

/** The arguments of an unfinished item: an empty object may be only a placeholder. */
const begun = (given: unknown): unknown =>
  given === '{}' || (isRecord(given) && Object.keys(given).length === 0) ? undefined : given;

function name(drafts: CallDrafts, draft: CallDraft, item: Schema): void {
  if (typeof item.id === 'string') drafts.name(item.id, draft);
  if (typeof item.call_id === 'string') drafts.name(`call ${item.call_id}`, draft);
}

/** A finished item, which replaces its fragments. */
function done(drafts: CallDrafts, event: Schema, item: Schema, key: unknown): void {
  if (!isCall(item)) return;
  const known = knownDraft(drafts, event, item);
  const { id, name: named, caller, cut } = readWholeCall(item);
  const draft = known ?? drafts.start(key, { isSearch: isSearch(item), caller });
  if (typeof id === 'string' || typeof id === 'number') draft.id = id;
  if (typeof named === 'string') draft.name = named;
  draft.cut ??= cut;
  finish(draft, item);
  name(drafts, draft, item);
}

const knownDraft = (drafts: CallDrafts, event: Schema, item: Schema): CallDraft | undefined =>
  findDraft(drafts, event, item) ?? drafts.at(`call ${item.call_id}`);

function finish(draft: CallDraft, said: Schema): void {
  if (said.arguments !== undefined) {
    draft.pieces = [];
    draft.value = said.arguments === null ? 'null' : said.arguments;
  }
  if (typeof said.name === 'string' && said.name !== '') draft.name = said.name;
  draft.isClosed = true;
}

/** An item in progress when its response ended: its arguments count only if they are complete by themselves. */
function goesOn(drafts: CallDrafts, known: CallDraft | undefined, item: Schema): void {
  if (!known) added(drafts, { item });
  else if (begun(item.arguments)) known.value = item.arguments;
}

function endResponse(drafts: CallDrafts, response: Schema, isIncomplete: boolean): void {
  const items = asArray(response.output).map(asRecord);
  const isUnsettled = typeof response.status === 'string' && response.status !== 'completed';
  const met = new Set<CallDraft>();
  for (const item of items.filter(isCall)) {
    // The whole response has no indexes: an item matches the draft of the same id, unless another item already did.
    const known = knownDraft(drafts, {}, item);
    if (known && met.has(known)) drafts.whole(readWholeCall(item));
    else if (isUnsettled && item.status === 'in_progress' && !known?.isClosed) goesOn(drafts, known, item);
    else done(drafts, {}, item, Symbol('whole'));
    const draft = knownDraft(drafts, {}, item);
    if (draft) met.add(draft);
  }
  const last = items.at(-1);
  const isCut = isIncomplete || response.status === 'incomplete';
  const cut = isCut && last && isCall(last) ? drafts.at(last.id ?? `call ${last.call_id}`) : undefined;
  if (cut) cut.cut ??= LIMITED;
  if (last && !isCall(last)) drafts.endBlock();
  // A response that failed, was cancelled or is still running completes no open call.
  if (isCut || !isUnsettled) drafts.endMessage(isCut ? LIMITED : undefined);
  drafts.newMessage();
}
