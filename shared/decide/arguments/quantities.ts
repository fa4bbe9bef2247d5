import { wordAt } from '../../search/chinese.ts';
import type { Span } from './span.ts';

/** A number as the text has it: `5 %`, `$1.5 million`, `three nights`, `2nd`. */
export interface Quantity {
  readonly value: number;
  readonly percent: boolean;
  readonly currency?: string;
  /** The word after it, lower case. */
  readonly unit?: string;
  /** The term of what is measured: `640 pixels wide` is a width. */
  readonly dimension?: string | undefined;
  readonly ordinal: boolean;
  /** Written as a word; `one` may not be a number at all. */
  readonly spelled: boolean;
}

/** The numbers of a text, in digits, English words and Chinese numerals. */
export const findQuantities = (text: string): readonly Span[] => [
  ...sizes(text),
  ...Array.from(text.matchAll(DIGITS), readDigits).filter((span) => span !== undefined),
  ...Array.from(text.matchAll(SPELLED), readSpelled).filter((span) => !isPronoun(text, span)),
  ...Array.from(text.matchAll(CHINESE), readChinese),
];

/** Whether a number word only counts the values after it: `two` in `two numbers, say 36 and 48`. */
export const countsNext = (text: string, { end, quantity }: Span, quantities: readonly Span[]): boolean => {
  const count = quantity?.spelled ? quantity.value : 0;
  if (count < 2 || count > 5) return false;
  const after = quantities.filter((other) => other.start > end && other.quantity?.spelled === false);
  const listed = after.findIndex((span, at) => !LISTED.test(text.slice(span.end, after[at + 1]?.start ?? span.end)));
  return listed === count - 1;
};
const LISTED = /^(?:\s?\p{L}{1,12})?(?:,\s?(?:and\s)?|\sand\s)$/u;

/** The widths and heights of sizes such as `640x480`. */
export const sizes = (text: string): readonly Span[] =>
  Array.from(text.matchAll(SIZE), (match) => {
    const [said, width = '', height = ''] = match;
    const side = (digits: string, start: number, dimension: string): Span => ({
      kind: 'number',
      start,
      end: start + digits.length,
      text: digits,
      quantity: { value: Number(digits), percent: false, dimension, ordinal: false, spelled: false },
    });
    const second = match.index + said.length - height.length;
    return [side(width, match.index, 'width'), side(height, second, 'height')];
  }).flat();
const SIZE = /(?<![\p{L}\p{N}.])(\d{2,5})(?:\s?[x×*]\s?|\sby\s)(\d{2,5})(?![\p{N}.]|\p{Ll})/giu;

/** The dimension that a word beside a number names: wide, tall, 宽. */
const dimensionBeside = (input: string, start: number, end: number): string | undefined => {
  const after = DIMENSION_AFTER.exec(input.slice(end, end + 32))?.[1]?.toLowerCase();
  const before = DIMENSION_BEFORE.exec(input.slice(Math.max(0, start - 8), start))?.[1];
  return DIMENSIONS[after ?? before ?? ''];
};
const DIMENSION_AFTER =
  /^\s?-?(?:\p{L}+\s)?(wide|high|tall|long|deep|thick|heavy|old|宽|高|长|深|重)(?!\p{Script=Latin})/iu;
const DIMENSION_BEFORE = /([宽高长深重])(?:度|为|是|成|到|约)?\s?$/u;
const DIMENSIONS: Readonly<Record<string, string>> = Object.assign(Object.create(null), {
  wide: 'width',
  high: 'height',
  tall: 'height',
  long: 'length',
  deep: 'depth',
  thick: 'thick',
  heavy: 'weight',
  old: 'age',
  宽: 'width',
  高: 'height',
  长: 'length',
  深: 'depth',
  重: 'weight',
});

const readDigits = (match: RegExpExecArray): Span | undefined => {
  const [text, sign = '', currency = '', digits = '', suffix = '', unit] = match;
  // `298K` is a temperature, `$298K` and `298k` are thousands.
  const scale = suffix === 'K' && currency === '' ? 1 : (SCALES[suffix.trim().toLowerCase()] ?? 1);
  const value = fullYear(match, digits) ?? Number(digits.replaceAll(',', '')) * scale * (sign === '' ? 1 : -1);
  if (!Number.isFinite(value)) return undefined;
  const percent = /^\s*(?:%|percent\b)/iu.test(suffix);
  const said = (unit === undefined ? text : text.slice(0, text.lastIndexOf(unit))).replace(/[\s-]+$/u, '');
  return {
    kind: 'number',
    start: match.index,
    end: match.index + said.length,
    text: said,
    quantity: {
      value: tidy(value),
      percent,
      currency: currency.trim() || undefined,
      unit: unit && unitWord(unit),
      dimension: dimensionBeside(match.input, match.index, match.index + said.length),
      ordinal: /^(?:st|nd|rd|th)$/iu.test(suffix.trim()),
      spelled: false,
    },
  };
};

/** The year of a two-digit form such as `'19`. */
const fullYear = ({ input, index }: RegExpExecArray, digits: string): number | undefined => {
  if (!/^\d\d$/u.test(digits) || !/(?:^|\s)['’]$/u.test(input.slice(Math.max(0, index - 2), index))) return undefined;
  if (/^['’]/u.test(input.slice(index + 2))) return undefined;
  return Number(digits) < 50 ? 2000 + Number(digits) : 1900 + Number(digits);
};

/** Chinese has no spaces, so only the known word at the start of `公里长` is the unit. */
const unitWord = (text: string): string =>
  /^\p{Script=Han}/u.test(text) ? (wordAt(text, 0) ?? text.slice(0, 1)) : text.toLowerCase();

/** 1.1 * 1000 must not become 1100.0000000000002. */
const tidy = (value: number): number => Number(value.toPrecision(15));

const readSpelled = (match: RegExpExecArray): Span => {
  const [text] = match;
  const parts = text.toLowerCase().split(/[\s-]+/u);
  let total = 0;
  let current = 0;
  for (const part of parts) {
    const scale = SCALES[part];
    if (scale !== undefined) current = Math.max(current, 1) * scale;
    if (scale !== undefined && scale >= 1000) {
      total += current;
      current = 0;
    }
    current += NUMBER_WORDS.get(part) ?? 0;
  }
  const unit = /^[\s-]+(\p{L}+)/u.exec(match.input.slice(match.index + text.length))?.[1];
  return {
    kind: 'number',
    start: match.index,
    end: match.index + text.length,
    text,
    quantity: {
      value: total + current,
      percent: unit === 'percent',
      unit: unit?.toLowerCase(),
      ordinal: false,
      spelled: true,
    },
  };
};

/** Whether `one` is a pronoun, as in `the other one` or `one of them`. */
const isPronoun = (text: string, { start, end, quantity }: Span): boolean => {
  if (quantity?.value !== 1) return false;
  const after = text.slice(end);
  return (
    !/^[\s-]\p{L}/u.test(after) ||
    /^\s(?:of|that|which|who|with|in|from|for|is|and|or|to)\b/iu.test(after) ||
    /\b(?:the|this|that|which|each|any|no|every|default|other|another|good|find|an?)\s$/iu.test(text.slice(0, start))
  );
};

const readChinese = (match: RegExpExecArray): Span => {
  const [text, numeral = '', unit] = match;
  return {
    kind: 'number',
    start: match.index,
    end: match.index + numeral.length,
    text: numeral,
    quantity: {
      value: chineseNumber(numeral),
      percent: false,
      unit,
      ordinal: text.startsWith('第'),
      spelled: true,
    },
  };
};

const chineseNumber = (numeral: string): number => {
  let total = 0;
  let digit = 0;
  for (const character of numeral) {
    const scale = CHINESE_SCALES[character];
    if (scale !== undefined) {
      total += Math.max(digit, 1) * scale;
      digit = 0;
    } else digit = digit * 10 + Math.max(CHINESE_DIGITS.indexOf(character), character === '两' ? 2 : 0);
  }
  return total + digit;
};

const SCALES: Readonly<Record<string, number>> = Object.assign(Object.create(null), {
  k: 1e3,
  thousand: 1e3,
  million: 1e6,
  mn: 1e6,
  billion: 1e9,
  bn: 1e9,
  trillion: 1e12,
  hundred: 100,
  dozen: 12,
  万: 1e4,
  亿: 1e8,
});
const SMALL =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen';
const TENS = 'twenty thirty forty fifty sixty seventy eighty ninety';
const NUMBER_WORDS: ReadonlyMap<string, number> = new Map([
  ...SMALL.split(' ').map((word, value) => [word, value] as const),
  ...TENS.split(' ').map((word, at) => [word, (at + 2) * 10] as const),
]);
const CHINESE_DIGITS = '零一二三四五六七八九';
const CHINESE_SCALES: Readonly<Record<string, number>> = { 十: 10, 百: 100, 千: 1000, 万: 10_000 };

const DIGITS =
  /(?<!(?!\p{Script=Han})[\p{L}\p{N}_.^])(?<sign>-(?=[$€£¥\d.]))?(?<currency>[$€£¥₹]\s?|(?:usd|eur|gbp|rs\.?)\s)?(?<digits>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?(?:e[+-]?\d+)?|\.\d+)(?<suffix>\s?%|\s?percent\b|(?:st|nd|rd|th)\b|k(?![\p{L}])|\s?(?:thousand|million|billion|trillion|bn|mn|hundred|dozen)\b|[万亿])?(?![\p{N}_])(?:[\s-]?(?<unit>[\p{L}°]+))?/giu;
const ONE = `(?:${[...NUMBER_WORDS.keys()].join('|')})`;
const SPELLED = new RegExp(
  `(?<![\\p{L}\\p{N}])${ONE}(?:[\\s-](?:${ONE}|hundred|thousand|million|billion|dozen))*(?![\\p{L}\\p{N}])|(?<![\\p{L}])dozen(?![\\p{L}])`,
  'giu',
);
const CHINESE = /第?([零一二两三四五六七八九十百千]+)\s?(\p{Script=Han})?/gu;
