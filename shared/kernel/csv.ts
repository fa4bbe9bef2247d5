type Cell = string | number | undefined;

/** Rows as CSV (RFC 4180); with `\n` as line end also for line tools such as `cut`. */
export const formatCsv = (rows: readonly (readonly Cell[])[], lineEnd: '\r\n' | '\n' = '\r\n'): string =>
  rows.map((row) => `${row.map(formatCell).join(',')}${lineEnd}`).join('');

// A spreadsheet would run a text that starts like a formula.
const formatCell = (value: Cell): string => {
  if (typeof value !== 'string') return value === undefined ? '' : String(value);
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};
