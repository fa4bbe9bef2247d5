/** The billing month of a call, in UTC: `2026-11`. */
export const monthOf = (milliseconds: number): string => new Date(milliseconds).toISOString().slice(0, 7);

/** The month of an ISO time. */
export const monthIn = (at: string): string => at.slice(0, 7);

export const monthStart = (month: string): number => Date.parse(`${month}-01T00:00:00Z`);

/** When a month's quota resets. */
export const monthEnd = (month: string): number => {
  const [year = 1970, number = 1] = month.split('-').map(Number);
  return Date.UTC(year, number, 1);
};
