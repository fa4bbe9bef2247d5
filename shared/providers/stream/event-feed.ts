import { isRecord } from '../json.ts';
import type { RawCall } from '../types.ts';
import { EventText } from './event-text.ts';
import type { Reader } from './reader.ts';

/** Feeds a provider's reader with a response in any form, whole or as it arrives. */
export class EventFeed {
  readonly #reader: Reader;
  readonly #text: EventText;
  readonly #decoder = new TextDecoder();

  constructor(reader: Reader) {
    this.#reader = reader;
    this.#text = new EventText({
      object: (event) => reader.event(event),
      lost: () => reader.drafts.lose(),
      done: () => reader.drafts.endMessage(),
    });
  }

  /** Takes an event, text or bytes cut anywhere, or a list of these. */
  push(part: unknown): void {
    for (const each of Array.isArray(part) ? part : [part]) this.#pushOne(each);
  }

  #pushOne(part: unknown): void {
    if (typeof part === 'string') this.#text.push(part);
    else if (part instanceof Uint8Array) this.#text.push(this.#decoder.decode(part, { stream: true }));
    else if (isRecord(part)) this.#reader.event(part);
  }

  /** Ends the response and returns its calls. */
  end(): readonly RawCall[] {
    this.#text.push(this.#decoder.decode());
    this.#text.end();
    return this.#reader.drafts.calls();
  }
}
