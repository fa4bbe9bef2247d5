import type { SpanKind } from './span.ts';
/** A value that a slot may get, from where in the text, and by which reading of it. Nothing else is ever filled in. */
export interface Proposal {
  readonly value: unknown;
  readonly start: number;
  readonly end: number;
  /** The words that it was taken from. */
  readonly from: string;
  readonly source: Source;
  /** How surely the reading itself takes it for a value of this slot, from 0 to 1 or a little more. */
  readonly own: number;
  /** What made the value of the words, when it is not the words themselves. */
  readonly how?: Conversion;
  /** A mention leaves its words to others: `red` may be a colour and part of what is searched. */
  readonly shares?: true;
}

export type Conversion =
  | 'date'
  | 'time'
  | 'unit'
  | 'rate'
  | 'number'
  | 'code'
  | 'place'
  | 'gazetteer'
  | 'choice'
  | 'boolean'
  | 'list';

export type Source =
  | SpanKind
  | 'choice'
  | 'near_choice'
  | 'boolean'
  | 'near_boolean'
  | 'named'
  | 'example'
  | 'literal_list'
  | 'choice_list'
  | 'counted_list'
  | 'run'
  | 'example_list'
  | 'phrase_list'
  | 'single'
  | 'written'
  | 'identifier'
  | 'labelled'
  | 'said_as'
  | 'whole'
  | 'about'
  | 'rest'
  | 'sort'
  | 'colon'
  | 'object';

export const overlap = (
  one: { readonly start: number; readonly end: number },
  other: { readonly start: number; readonly end: number },
): boolean => one.start < other.end && other.start < one.end;
