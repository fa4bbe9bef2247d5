import { type ReadDate, readDates } from './read-dates.ts';
import { overlaps, type Span } from './span.ts';

/** A date, a time of day or both, as far as the text gives them. */
export interface Moment {
  /** Days since 1970-01-01. */
  readonly day?: number;
  /** Minutes since midnight, with seconds as a fraction. */
  readonly minutes?: number;
  /** `month` or `year` if the text gives nothing more exact. */
  readonly precision: 'day' | 'month' | 'year' | 'time';
  /** Relative to today. */
  readonly relative: boolean;
  /** Relative to another date in the same words, which is also a value. */
  readonly counted?: boolean;
}

/** The dates and times of a text. `today` is a day number; without it relative dates are left out. */
export const findMoments = (text: string, today: number | undefined): readonly Span[] => {
  const stated = statedToday(text);
  const present = stated?.day ?? today;
  const shift = stated?.shift ?? 0;
  // The date in `today is ...` is not a value.
  const rest = stated === undefined ? text : withoutPart(text, stated);
  const dates = readDates(rest, present === undefined ? undefined : dateOf(present - shift));
  // In `from March 9th to March 10th 2023` the year applies to both dates.
  const said = dates.find(({ components }) => components.isCertain('year') && components.isCertain('month'));
  const year = said?.relative === false ? (said.components.get('year') ?? undefined) : undefined;
  return withoutOverlaps(dates.flatMap((date) => momentSpan(date, { saidYear: year, present, shift })));
};

const withoutPart = (text: string, { start, end }: { readonly start: number; readonly end: number }): string =>
  `${text.slice(0, start)}${'.'.repeat(end - start)}${text.slice(end)}`;

/** `today is Friday 2023-09-29` in the task overrides the clock, and its weekday overrides the calendar. */
const statedToday = (text: string) => {
  const match = TODAY_IS.exec(text);
  const date = match?.groups?.date;
  if (!match || date === undefined) return undefined;
  const [first] = readDates(date, undefined).filter(({ components }) => components.isCertain('year'));
  if (first === undefined) return undefined;
  const start = match.index;
  const end = start + match[0].length - date.length + first.start + first.text.length;
  const day = dayNumber(first.components, first.components.get('year') ?? 0);
  const weekday = WEEKDAYS.indexOf((match.groups?.weekday ?? '').slice(0, 3).toLowerCase());
  const shift = weekday < 0 ? 0 : (dateOf(day).getUTCDay() - weekday + 7) % 7;
  return { start, end, day, shift };
};
const TODAY_IS =
  /(?:today(?:'s date)? is|current date(?: is|:)|今天是)\s*(?:(?<weekday>\p{L}+day),?\s)?(?<date>.{4,40})/iu;
const WEEKDAYS = 'sun mon tue wed thu fri sat'.split(' ');

interface Calendar {
  /** The year of another date in the task. */
  readonly saidYear: number | undefined;
  readonly present: number | undefined;
  /** By how many days the task's calendar runs ahead of the real one. */
  readonly shift: number;
}

const momentSpan = (
  { start, text, components, relative, counted }: ReadDate,
  { saidYear, present, shift }: Calendar,
): readonly Span[] => {
  const minutes = components.isCertain('hour')
    ? (components.get('hour') ?? 0) * 60 + (components.get('minute') ?? 0) + (components.get('second') ?? 0) / 60
    : undefined;
  const span = { kind: 'moment' as const, start, end: start + text.length, text };
  const isDated = ['day', 'month', 'year', 'weekday'].some((part) => components.isCertain(part as 'day'));
  if (!isDated) return minutes === undefined ? [] : [{ ...span, moment: { minutes, precision: 'time', relative } }];
  const year =
    components.isCertain('year') || relative ? components.get('year') : (saidYear ?? yearNear(components, present));
  // A day without a known year is not a date, but its span is kept so that its number is not used for anything else.
  if (year === null || year === undefined) return [{ ...span, moment: { precision: 'day', relative } }];
  const moment = {
    day: ahead(dayNumber(components, year) + (relative ? shift : 0), components, text, present),
    precision: precisionOf(components, text),
    relative,
    counted,
  };
  return [{ ...span, moment: minutes === undefined ? moment : { ...moment, minutes } }];
};

/** The year of a day without one: this year, or the next if the day is more than half a year ago. */
const yearNear = (components: ReadDate['components'], present: number | undefined): number | undefined => {
  if (present === undefined) return undefined;
  const year = dateOf(present).getUTCFullYear();
  return dayNumber(components, year) < present - HALF_YEAR ? year + 1 : year;
};
const HALF_YEAR = 183;

/** Moves a weekday such as `Monday` to the next one, unless the text asks for the last. */
const ahead = (day: number, components: ReadDate['components'], text: string, present: number | undefined): number =>
  present !== undefined &&
  day < present &&
  components.isCertain('weekday') &&
  !components.isCertain('day') &&
  !/last|past|previous|上/iu.test(text)
    ? day + 7
    : day;

/** `in 2 months` is exact to the day, `next month` is not. */
const precisionOf = (components: ReadDate['components'], text: string): Moment['precision'] => {
  if (components.isCertain('day') || components.isCertain('weekday') || COUNTED.test(text)) return 'day';
  return components.isCertain('month') ? 'month' : 'year';
};
const COUNTED = /\b(?:in|after|within)\s|\b(?:ago|later|before|after|from)\b|[后前]$/iu;

const withoutOverlaps = (spans: readonly Span[]): readonly Span[] => {
  const kept: Span[] = [];
  for (const span of spans)
    if (!kept.some((other) => overlaps(span, other) && other.moment?.counted !== true)) kept.push(span);
  return kept.sort((one, other) => one.start - other.start);
};

const dayNumber = (components: ReadDate['components'], year: number): number =>
  Math.floor(Date.UTC(year, (components.get('month') ?? 1) - 1, components.get('day') ?? 1) / DAY);

const dateOf = (day: number): Date => new Date(day * DAY + DAY / 2);

const DAY = 86_400_000;
