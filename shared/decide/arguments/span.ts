import type { Moment } from './moments.ts';
import type { Quantity } from './quantities.ts';

/** A piece of the task that may be the value of a parameter. */
export interface Span {
  readonly kind: SpanKind;
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly quantity?: Quantity;
  readonly moment?: Moment;
  /** A telephone number as +491701234567, where the country is known. */
  readonly e164?: string | undefined;
  /** The list or object of a literal. */
  readonly literal?: unknown;
}

export type SpanKind =
  | 'quoted'
  | 'literal'
  | 'email'
  | 'url'
  | 'path'
  | 'code'
  | 'phone'
  | 'number'
  | 'moment'
  | 'proper'
  | 'phrase';

export const overlaps = (one: Pick<Span, 'start' | 'end'>, other: Pick<Span, 'start' | 'end'>): boolean =>
  one.start < other.end && other.start < one.end;
