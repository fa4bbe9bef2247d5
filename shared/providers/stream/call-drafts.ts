import { isRecord, type Schema } from '../json.ts';
import type { CallForm, CallId, RawCall } from '../types.ts';

/** What is known of a call so far. */
export interface CallDraft {
  id?: CallId | undefined;
  name: unknown;
  /** Fragments of the JSON text of the arguments. */
  pieces: string[];
  /** Arguments that came as a value, or as one text. */
  value?: unknown;
  /** The provider said that nothing more belongs to it. */
  isClosed: boolean;
  /** Why its arguments were not read completely, whatever they look like. */
  cut?: string | undefined;
  signature?: string | undefined;
  caller?: Schema | undefined;
  form?: CallForm | undefined;
  isSearch?: boolean;
}

export type Start = Partial<Omit<CallDraft, 'id'>> & { readonly id?: unknown };

const LOST = 'a part of the stream could not be read';

/**
 * The calls of a stream, put together from its fragments in the order in which they began. Fragments are found by
 * the key that the provider gives them, and a key means something within one message only.
 */
export class CallDrafts {
  readonly #drafts: CallDraft[] = [];
  readonly #places = new Map<unknown, CallDraft | undefined>();
  /** Where the drafts begin whose end was not told, and those that a lost event may concern. */
  #unended = 0;
  #unsettled = 0;
  /** The block that began last, when it is a call: what a limit cuts off is the last block. */
  #last: CallDraft | undefined;

  /** Fragments from here on belong to another message. */
  newMessage(): void {
    this.#places.clear();
    this.#unended = this.#drafts.length;
    this.#unsettled = this.#drafts.length;
    this.#last = undefined;
  }

  /** Begins a call under a key. */
  start(key: unknown, call: Start): CallDraft {
    const { id, ...rest } = call;
    const draft: CallDraft = { name: undefined, pieces: [], isClosed: false, ...rest, id: isId(id) ? id : undefined };
    this.#drafts.push(draft);
    this.#places.set(key, draft);
    this.#last = draft;
    return draft;
  }

  /** Begins what is no call of ours, under a key: its fragments are not ours either. */
  skip(key: unknown): void {
    this.#places.set(key, undefined);
    this.#last = undefined;
  }

  /** Something else came after the last call, so that no limit can have cut it. */
  endBlock(): void {
    this.#last = undefined;
  }

  /** Whether what began under a key is no call of ours. */
  isSkipped(key: unknown): boolean {
    return this.#places.has(key) && this.#places.get(key) === undefined;
  }

  at(key: unknown): CallDraft | undefined {
    return this.#places.get(key);
  }

  /** The draft that began last in this message. */
  get last(): CallDraft | undefined {
    return this.#last;
  }

  /** Gives a draft one more key. */
  name(key: unknown, draft: CallDraft): void {
    this.#places.set(key, draft);
  }

  /** A key that means nothing from here on. */
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

  /** Adds a call that came in one piece. */
  whole(call: Start): CallDraft {
    return this.start(Symbol('whole'), { ...call, isClosed: true });
  }

  /** Ends a message. When a limit ended it, its last call is cut off, even if what is there can be read. */
  endMessage(limit?: string): void {
    for (const draft of this.#drafts.slice(this.#unended)) {
      if (limit === undefined || (draft !== this.#last && isComplete(draft))) draft.isClosed = true;
      else if (!draft.isClosed || draft === this.#last) draft.cut ??= limit;
    }
    this.#unended = this.#drafts.length;
  }

  /** An event could not be read: it may have belonged to any call that is not complete. */
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
