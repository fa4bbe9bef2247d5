import type { SpanKind } from './span.ts';
/** A candidate value of a slot, with its span in the text and its source. Nothing else is ever filled in. */
export interface Proposal {
  readonly value: unknown;
  readonly start: number;
  readonly end: number;
  /** The words that it was taken from. */
  readonly from: string;
  readonly source: Source;
  /** The score that the source itself gives it for this slot: mostly 0 to 1, for numbers up to about 3. */
  readonly own: number;
  /** How the words were converted to the value; absent if the value is the words themselves. */
  readonly how?: Conversion;
  /** Set if other slots may take the same words: `red` may be a colour and part of a search query. */
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
