import { JsonObjects, type Listener } from './json-objects.ts';

const LINE_END = /\r\n|\r|\n/g;

/**
 * The events of a text that arrives in pieces, cut at any character: server-sent events, or JSON in any of the forms
 * that `JsonObjects` reads. The first non-blank character tells which.
 */
export class EventText {
  readonly #objects: JsonObjects;
  readonly #done: () => void;
  #form: 'unknown' | 'json' | 'events' = 'unknown';
  #line: string[] = [];
  /** The last piece ended with a carriage return, so a line feed at the start of the next belongs to it. */
  #isAfterReturn = false;

  constructor(listener: Listener & { readonly done: () => void }) {
    this.#objects = new JsonObjects(listener);
    this.#done = listener.done;
  }

  push(text: string): void {
    if (text === '') return;
    if (this.#form === 'unknown') {
      const first = /[^\s\uFEFF]/.exec(text)?.[0];
      if (first === undefined) return;
      this.#form = first === '{' || first === '[' || first === '"' ? 'json' : 'events';
    }
    if (this.#form === 'json') this.#objects.push(text);
    else this.#pushLines(text);
  }

  end(): void {
    if (this.#line.length > 0) this.#endLine('');
    this.#objects.end();
  }

  #pushLines(text: string): void {
    let start = this.#isAfterReturn && text.startsWith('\n') ? 1 : 0;
    this.#isAfterReturn = text.endsWith('\r');
    LINE_END.lastIndex = start;
    for (let found = LINE_END.exec(text); found; found = LINE_END.exec(text)) {
      this.#endLine(text.slice(start, found.index));
      start = LINE_END.lastIndex;
    }
    if (start < text.length) this.#line.push(text.slice(start));
  }

  #endLine(rest: string): void {
    const line = this.#line.length > 0 ? [...this.#line, rest].join('') : rest;
    this.#line = [];
    const text = line.replace(/^\s*\uFEFF/, '');
    // A blank line ends an event.
    if (text === '') this.#objects.end();
    else if (text.startsWith('data:')) this.#data(text.slice(5));
    else if (/^\s*[{[]/.test(text)) this.#data(text);
  }

  #data(text: string): void {
    if (text.trim() === '[DONE]') this.#done();
    else this.#objects.push(`${text}\n`);
  }
}
