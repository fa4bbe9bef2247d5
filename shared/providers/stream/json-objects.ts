import { isRecord, type Schema } from '../json.ts';

/** Receives the objects of a text, and is told of unreadable parts. */
export interface Listener {
  readonly object: (value: Schema) => void;
  readonly lost: () => void;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/**
 * Finds the objects of a JSON text that arrives in pieces: one document, one per line, several in a row, or all in an
 * array. Every character is read once, however the text is cut.
 */
export class JsonObjects {
  readonly #listener: Listener;
  #pieces: string[] = [];
  #depth = 0;
  #isInText = false;
  #isEscaped = false;

  constructor(listener: Listener) {
    this.#listener = listener;
  }

  push(text: string): void {
    let start = this.#depth > 0 ? 0 : -1;
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (this.#isInText) {
        // JSON strings contain no line breaks: the object is broken, and the next line starts anew.
        if (code === LINE_FEED || code === CARRIAGE_RETURN) {
          this.#drop();
          start = -1;
        } else this.#inText(code);
      } else if (code === QUOTE) {
        this.#isInText = true;
      } else if (code === 0x7b || (code === 0x5b && this.#depth > 0)) {
        if (this.#depth === 0) start = at;
        this.#depth += 1;
      } else if ((code === 0x7d || code === 0x5d) && this.#depth > 0) {
        this.#depth -= 1;
        if (this.#depth === 0) {
          this.#pieces.push(text.slice(start, at + 1));
          start = -1;
          this.#give();
        }
      }
    }
    if (start >= 0) this.#pieces.push(text.slice(start));
  }

  /** Ends the text, or one event of it: an unfinished object is lost. */
  end(): void {
    this.#drop();
  }

  #inText(code: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (code === BACKSLASH) this.#isEscaped = true;
    else if (code === QUOTE) this.#isInText = false;
  }

  #give(): void {
    const text = this.#pieces.join('');
    this.#pieces = [];
    try {
      const value: unknown = JSON.parse(text);
      if (isRecord(value)) this.#listener.object(value);
    } catch (thrown) {
      if (!(thrown instanceof SyntaxError)) throw thrown;
      this.#listener.lost();
    }
  }

  #drop(): void {
    const isUnfinished = this.#depth > 0;
    this.#pieces = [];
    this.#depth = 0;
    this.#isInText = false;
    this.#isEscaped = false;
    if (isUnfinished) this.#listener.lost();
  }
}
