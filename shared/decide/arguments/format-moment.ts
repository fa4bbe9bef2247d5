import type { Moment } from './moments.ts';
import type { Slot } from './slot.ts';

/** Formats a moment as the slot's description asks or shows; ISO 8601 by default. */
export const formatMoment = (slot: Slot, moment: Moment, said: string): string => {
  const { description } = slot;
  const stamp = STAMP.exec(description);
  // If the description also allows a format without seconds, they are left out.
  const seconds =
    (/ss/iu.test(description) && !/mm(?![:'"]?ss)\b.*\bor\b/iu.test(description)) ||
    stamp?.groups?.seconds !== undefined;
  const time = moment.minutes === undefined ? undefined : clock(moment.minutes, seconds);
  const asSaid = /\d\s?[ap]m\b/iu.test(description) && !/hh|24/iu.test(description);
  if (slot.kind === 'time' || moment.day === undefined) return asSaid ? said : (time ?? said);
  const date = formatDay(moment, datePattern(description), said);
  if (slot.kind !== 'datetime' || (stamp === null && !/hh/iu.test(description))) return date;
  const joint = stamp !== null || /DD'?T/iu.test(description) ? 'T' : ' ';
  const zone = stamp?.groups?.zone !== undefined || /(?:SS|MM)'?Z/u.test(description) ? 'Z' : '';
  return `${date}${joint}${time ?? clock(0, seconds)}${zone}`;
};

/** An example of a date with a time in a description. */
const STAMP = /\d{4}-\d\d-\d\dT\d\d:\d\d(?<seconds>:\d\d)?(?<zone>Z)?/u;

const datePattern = (description: string): string =>
  (/month[-/]day[-/]year/iu.test(description) ? 'MM-DD-YYYY' : undefined) ??
  (/day[-/]month[-/]year/iu.test(description) ? 'DD-MM-YYYY' : undefined) ??
  /(?:YYYY|DD|MM|yyyy|dd|mm)[-/. ]?(?:YYYY|DD|MM|yyyy|dd|mm)[-/. ]?(?:YYYY|DD|MM|YY|yyyy|dd|mm)?/u
    .exec(description)?.[0]
    .toUpperCase() ??
  'YYYY-MM-DD';

const formatDay = (moment: Moment, pattern: string, said: string): string => {
  const date = new Date((moment.day ?? 0) * 86_400_000);
  if (moment.precision === 'year') return String(date.getUTCFullYear());
  if (moment.precision === 'month' && pattern.includes('DD')) return said;
  return pattern
    .replace('YYYY', String(date.getUTCFullYear()))
    .replace('YY', String(date.getUTCFullYear() % 100).padStart(2, '0'))
    .replace('MM', String(date.getUTCMonth() + 1).padStart(2, '0'))
    .replace('DD', String(date.getUTCDate()).padStart(2, '0'));
};

const clock = (minutes: number, seconds: boolean): string => {
  const whole = Math.round(minutes * 60);
  const parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, ...(seconds ? [whole % 60] : [])];
  return parts.map((part) => String(part).padStart(2, '0')).join(':');
};
