import type { Moment } from './moments.ts';
import type { Slot } from './slot.ts';

/** A moment in the form that a slot's description asks for; ISO 8601 unless it says otherwise. */
export const formatMoment = (slot: Slot, moment: Moment, said: string): string => {
  const time = moment.minutes === undefined ? undefined : clock(moment.minutes, /ss/u.test(slot.description));
  if (slot.kind === 'time' || moment.day === undefined) return time ?? said;
  const date = formatDay(moment, datePattern(slot.description), said);
  if (slot.kind !== 'datetime') return date;
  const separator = /T?HH|'T'/u.test(slot.description) && /DD.?T/u.test(slot.description) ? 'T' : ' ';
  const midnight = /ss/u.test(slot.description) ? '00:00:00' : '00:00';
  return /h/u.test(slot.description.match(/hh|HH/u)?.[0] ?? '') || /HH/u.test(slot.description)
    ? `${date}${separator}${time ?? midnight}`
    : date;
};

const datePattern = (description: string): string =>
  /(?:YYYY|DD|MM|yyyy|dd|mm)[-/. ]?(?:YYYY|DD|MM|yyyy|dd|mm)[-/. ]?(?:YYYY|DD|MM|YY|yyyy|dd|mm)?/u
    .exec(description)?.[0]
    .toUpperCase() ?? 'YYYY-MM-DD';

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
