import { Fault } from '../../kernel/errors.ts';
import { isObject } from '../../kernel/json.ts';
import { type Builtin, defineBuiltin, objectSchema, textArgument } from './builtin.ts';

const integer = { type: 'integer', minimum: -1_000_000_000, maximum: 1_000_000_000 };
const UNITS = ['years', 'months', 'weeks', 'days', 'hours', 'minutes', 'seconds'] as const;
type Unit = (typeof UNITS)[number];
const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const;
const DAY_MS = 86_400_000;

export const dateMath: Builtin = {
  work: 'linear',
  definition: defineBuiltin({
    name: 'date_math',
    description:
      'Adds years, months, weeks, days or times to a date, tells how long it is until another, and gives its weekday, ISO week and day of the year.',
    category: 'time',
    tags: ['date', 'time', 'day', 'calendar', 'difference'],
    scenarios: ['calendar', 'mathematics'],
    intents: ['calculate', 'compare'],
    instructions:
      'Dates are ISO 8601: 2026-03-31 or 2026-03-31T08:00:00+02:00. 31 January plus a month is 28 February.',
    parameters: {
      date: { type: 'string', maxLength: 40, description: 'An ISO 8601 date, with or without a time and offset.' },
      add: {
        type: 'object',
        properties: Object.fromEntries(UNITS.map((unit) => [unit, integer])),
        additionalProperties: false,
        description: 'What to add; negative amounts go back.',
      },
      until: { type: 'string', maxLength: 40, description: 'Another date, to know how far away it is.' },
    },
    required: ['date'],
    output: objectSchema(
      {
        date: { type: 'string', description: 'The date after adding.' },
        weekday: { type: 'string', enum: [...WEEKDAYS] },
        iso_week: { type: 'string', description: 'Such as 2026-W14.' },
        day_of_year: { type: 'integer' },
        is_leap_year: { type: 'boolean' },
        until: { type: 'object', description: 'The way to the other date, in parts and in all.' },
      },
      ['until'],
    ),
  }),
  run: (args) => {
    const from = addTo(readDate(textArgument(args, 'date'), 'date'), isObject(args.add) ? args.add : {});
    const about = describe(from);
    return args.until === undefined
      ? about
      : { ...about, until: span(from, readDate(textArgument(args, 'until'), 'until')) };
  },
};

/** A local time: its parts are stored as if the offset were zero. */
interface Moment {
  readonly wallMs: number;
  readonly offsetMinutes: number;
  readonly hasTime: boolean;
  readonly offset: string;
}

const SHAPE = /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?)?$/;

const readDate = (text: string, field: string): Moment => {
  const [, year, month, day, hour, minute, second = '0', fraction = '0', offset = ''] = SHAPE.exec(text.trim()) ?? [];
  const parts = [year, month, day, hour ?? 0, minute ?? 0, second].map(Number);
  const [y = Number.NaN, m = 1, d = 1, h = 0, min = 0, s = 0] = parts;
  const wallMs = Date.UTC(y, m - 1, d, h, min, s) + Math.round(Number(fraction) * 1000);
  const back = new Date(wallMs);
  // Date.UTC rolls 31 February over into March.
  const isReal = back.getUTCMonth() === m - 1 && back.getUTCDate() === d && h < 24 && min < 60 && s < 60;
  if (year === undefined || !isReal)
    throw new Fault('InvalidInput', `${field} ${JSON.stringify(text)} is not an ISO 8601 date such as 2026-03-31`, {
      field,
      value: text,
    });
  const [, sign, hours = 0, minutes = 0] = /^([+-])(\d{2}):?(\d{2})$/.exec(offset) ?? [];
  const offsetMinutes = (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
  return { wallMs, offsetMinutes, hasTime: hour !== undefined, offset };
};

const addTo = (moment: Moment, add: Readonly<Record<string, unknown>>): Moment => {
  const amount = (unit: Unit): number => Number(add[unit] ?? 0);
  const shifted = addMonths(moment.wallMs, amount('years') * 12 + amount('months'));
  const days = amount('weeks') * 7 + amount('days');
  const seconds = amount('hours') * 3600 + amount('minutes') * 60 + amount('seconds');
  const wallMs = shifted + days * DAY_MS + seconds * 1000;
  if (Math.abs(wallMs) > 8.64e15 || new Date(wallMs).getUTCFullYear() > 9999 || new Date(wallMs).getUTCFullYear() < 0)
    throw new Fault('InvalidInput', 'the result is outside the years 0 to 9999; add less', { field: 'add' });
  const hasTime = moment.hasTime || seconds !== 0;
  return { ...moment, wallMs, hasTime };
};

/** The same day of another month, or its last day where that month is shorter. */
const addMonths = (wallMs: number, months: number): number => {
  const date = new Date(wallMs);
  const day = date.getUTCDate();
  const target = new Date(wallMs);
  target.setUTCDate(1);
  target.setUTCMonth(date.getUTCMonth() + months);
  target.setUTCDate(Math.min(day, daysIn(target.getUTCFullYear(), target.getUTCMonth())));
  return target.getTime();
};

const daysIn = (year: number, month: number): number => new Date(Date.UTC(year, month + 1, 0)).getUTCDate();

const describe = (moment: Moment) => {
  const date = new Date(moment.wallMs);
  const year = date.getUTCFullYear();
  return {
    date: write(moment),
    weekday: WEEKDAYS[date.getUTCDay()] ?? '',
    iso_week: isoWeek(date),
    day_of_year: Math.floor((moment.wallMs - Date.UTC(year, 0, 1)) / DAY_MS) + 1,
    is_leap_year: daysIn(year, 1) === 29,
  };
};

const write = ({ wallMs, hasTime, offset }: Moment): string => {
  const text = new Date(wallMs).toISOString();
  return hasTime ? text.slice(0, -1).replace(/\.000$/, '') + offset : text.slice(0, 10);
};

/** The week that holds the year's Thursday belongs to that year. */
const isoWeek = (date: Date): string => {
  const thursday = new Date(date);
  thursday.setUTCDate(date.getUTCDate() + 4 - (date.getUTCDay() || 7));
  const week = Math.ceil(((thursday.getTime() - Date.UTC(thursday.getUTCFullYear(), 0, 1)) / DAY_MS + 1) / 7);
  return `${thursday.getUTCFullYear()}-W${String(Math.floor(week)).padStart(2, '0')}`;
};

const parseInstant = ({ wallMs, offsetMinutes }: Moment): number => wallMs - offsetMinutes * 60_000;

const span = (from: Moment, to: Moment) => {
  const total = parseInstant(to) - parseInstant(from);
  const sign = Math.sign(total);
  // Both in the time zone of the first, so that whole months and days follow its calendar.
  const [early, late] = sign < 0 ? [from.wallMs + total, from.wallMs] : [from.wallMs, from.wallMs + total];
  let months = monthsBetween(early, late);
  if (addMonths(early, months) > late) months--;
  const rest = late - addMonths(early, months);
  const signed = (value: number): number => (value === 0 ? 0 : sign * value);
  return {
    years: signed(Math.trunc(months / 12)),
    months: signed(months % 12),
    days: signed(Math.floor(rest / DAY_MS)),
    hours: signed(Math.floor((rest % DAY_MS) / 3_600_000)),
    minutes: signed(Math.floor((rest % 3_600_000) / 60_000)),
    seconds: signed((rest % 60_000) / 1000),
    total_days: total / DAY_MS,
    total_seconds: total / 1000,
  };
};

const monthsBetween = (early: number, late: number): number => {
  const [a, b] = [new Date(early), new Date(late)];
  return (b.getUTCFullYear() - a.getUTCFullYear()) * 12 + b.getUTCMonth() - a.getUTCMonth();
};
