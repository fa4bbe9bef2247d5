/** Formats numbers and times for people. */

export const showRaw = (raw: number): string => {
  if (!Number.isFinite(raw)) return String(raw);
  return Math.abs(raw) >= 100 ? raw.toFixed(1) : Number(raw.toPrecision(4)).toString();
};

export const showMs = (ms: number | null | undefined): string => {
  if (ms === null || ms === undefined) return '–';
  if (ms < 10) return `${Number(ms.toFixed(1))} ms`;
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`;
};

export const showMoney = (micros: number): string =>
  `$${(micros / 1_000_000).toFixed(micros === 0 || micros >= 1_000_000 ? 2 : 6).replace(/(\.\d\d\d*?)0+$/, '$1')}`;

export const showPercent = (share: number | null | undefined): string =>
  share === null || share === undefined ? '–' : `${Math.round(share * 100)} %`;

export const showBytes = (bytes: number): string =>
  bytes < 1_000_000 ? `${Math.max(1, Math.round(bytes / 1000))} KB` : `${(bytes / 1_000_000).toFixed(1)} MB`;

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const dayOfYear = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });

/** Always with the day, because pages stay open over midnight; with the year if it is another one. */
export const showTime = (iso: string): string => {
  const at = new Date(iso);
  const isThisYear = at.getFullYear() === new Date().getFullYear();
  return `${(isThisYear ? day : dayOfYear).format(at)} ${clock.format(at)}`;
};

export const showJson = (value: unknown): string =>
  JSON.stringify(
    value,
    (_, part: unknown) =>
      typeof part === 'string' && part.length > 400 ? `${part.slice(0, 80)}… (${part.length} characters)` : part,
    2,
  ) ?? 'nothing';

export const plural = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;
