import { findPhoneNumbersInText } from 'libphonenumber-js/min';
import type { Span } from './span.ts';

/** Telephone numbers: international ones by their country's numbering plan, others in the North American format. */
export const findPhones = (text: string): readonly Span[] => {
  const part = text.slice(0, READ_LIMIT);
  if (!LIKE_A_NUMBER.test(part)) return [];
  const international = part.includes('+')
    ? findPhoneNumbersInText(part).map(({ number, startsAt, endsAt }) => span(part, startsAt, endsAt, number.number))
    : [];
  const national = Array.from(part.matchAll(NATIONAL), ({ 0: said, index }) => span(part, index, index + said.length));
  return [...international, ...national];
};

const span = (text: string, start: number, end: number, e164?: string): Span => ({
  kind: 'phone',
  start,
  end,
  text: text.slice(start, end).trim(),
  e164,
});

const READ_LIMIT = 4096;
const LIKE_A_NUMBER = /\+\d|\d{3}\)?[\s.-]\d{3}/u;
const NATIONAL = /(?<![\p{L}\p{N}.+-])(?:\(\d{3}\)\s?|\d{3}[-.\s])\d{3}[-.\s]\d{4}(?![\p{L}\p{N}]|[-.]\d)/gu;
