import { isRecord, type Schema } from '../json.ts';
import type { CallForm, CallId, RawCall } from '../types.ts';

/** The state of a call so far. */
export interface CallDraft {
  id?: CallId | undefined;
  name: unknown;
  /** Fragments of the JSON text of the arguments. */
  pieces: string[];
  /** Arguments that arrived as a value, or as one text. */
  value?: unknown;
  /** Whether the provider said that the call is complete. */
  isClosed: boolean;
  /** Why its arguments are incomplete, even if they parse. */
  cut?: string | undefined;
  signature?: string | undefined;
  caller?: Schema | undefined;
  form?: CallForm | undefined;
  isSearch?: boolean;
}

export type Start = Partial<Omit<CallDraft, 'id'>> & { readonly id?: unknown };

const LOST = 'a part of the stream could not be read';

/**
 * The calls of a stream, assembled from its fragments in the order in which they started. Fragments are found by the
 * provider's key, which is valid within one message only.
 */
export class CallDrafts {
  readonly #drafts: CallDraft[] = [];
  readonly #places = new Map<unknown, CallDraft | undefined>();
  /** Index of the first draft whose message has not ended, and of the first that a lost event may affect. */
  #unended = 0;
  #unsettled = 0;
  /** The last block, if it is a call: a token limit cuts off the last block. */
  #last: CallDraft | undefined;

  /** Starts a new message: earlier keys are no longer valid. */
  newMessage(): void {
    this.#places.clear();
    this.#unended = this.#drafts.length;
    this.#unsettled = this.#drafts.length;
    this.#last = undefined;
  }

  /** Starts a call under a key. */
  start(key: unknown, call: Start): CallDraft {
    const { id, ...rest } = call;
    const draft: CallDraft = { name: undefined, pieces: [], isClosed: false, ...rest, id: isId(id) ? id : undefined };
    this.#drafts.push(draft);
    this.#places.set(key, draft);
    this.#last = draft;
    return draft;
  }

  /** Starts something other than a call of ours under a key, so that its fragments are ignored. */
  skip(key: unknown): void {
    this.#places.set(key, undefined);
    this.#last = undefined;
  }

  /** Something else followed the last call, so a limit cannot have cut it off. */
  endBlock(): void {
    this.#last = undefined;
  }

  /** Whether the block under a key is ignored. */
  isSkipped(key: unknown): boolean {
    return this.#places.has(key) && this.#places.get(key) === undefined;
  }

  at(key: unknown): CallDraft | undefined {
    return this.#places.get(key);
  }

  /** The last draft of this message, if it is still the last block. */
  get last(): CallDraft | undefined {
    return this.#last;
  }

  /** Adds another key for a draft. */
  name(key: unknown, draft: CallDraft): void {
    this.#places.set(key, draft);
  }

  /** Removes a key. */
  forget(key: unknown): void {
    this.#places.delete(key);
  }

  append(key: unknown, text: unknown): void {
    if (typeof text === 'string' && text !== '') this.#places.get(key)?.pieces.push(text);
  }

  close(key: unknown): void {
    const draft = this.#places.get(key);
    if (draft) draft.isClosed = true;
  }

  /** Adds a call that arrived whole. */
  whole(call: Start): CallDraft {
    return this.start(Symbol('whole'), { ...call, isClosed: true });
  }

  /** Ends a message. If a limit ended it, its last call is cut off, even if its arguments parse. */
  endMessage(limit?: string): void {
    for (const draft of this.#drafts.slice(this.#unended)) {
      if (limit === undefined || (draft !== this.#last && isComplete(draft))) draft.isClosed = true;
      else if (!draft.isClosed || draft === this.#last) draft.cut ??= limit;
    }
    this.#unended = this.#drafts.length;
  }

  /** An event could not be read: it may have belonged to any incomplete call. */
  lose(): void {
    for (const draft of this.#drafts.slice(this.#unsettled)) {
      if (!draft.isClosed && isComplete(draft)) draft.isClosed = true;
      if (!draft.isClosed) draft.cut ??= LOST;
    }
    this.#unsettled = this.#drafts.length;
  }

  calls(): readonly RawCall[] {
    return this.#drafts.map((draft) => ({
      id: draft.id,
      name: draft.name,
      arguments: draftArguments(draft),
      isOpen: !draft.isClosed,
      cut: draft.cut,
      thoughtSignature: draft.signature,
      caller: draft.caller,
      form: draft.form,
      isSearch: draft.isSearch,
    }));
  }
}

export const isId = (value: unknown): value is CallId =>
  (typeof value === 'string' && value !== '') || typeof value === 'number';

/** Fragments replace a value given at the start. */
const draftArguments = ({ pieces, value }: CallDraft): unknown => (pieces.length > 0 ? pieces.join('') : (value ?? ''));

function isComplete(draft: CallDraft): boolean {
  const given = draftArguments(draft);
  if (typeof given !== 'string') return false;
  try {
    return isRecord(JSON.parse(given));
  } catch {
    return false;
  }
}
