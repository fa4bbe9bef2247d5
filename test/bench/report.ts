export interface Summary {
  readonly mean: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly max: number;
}

export function summary(values: readonly number[]): Summary {
  const sorted = [...values].sort((a, b) => a - b);
  const quantile = (part: number): number =>
    round(sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))]);
  return {
    mean: round(sorted.reduce((sum, value) => sum + value, 0) / sorted.length),
    p50: quantile(0.5),
    p95: quantile(0.95),
    p99: quantile(0.99),
    max: quantile(1),
  };
}

export function printTable(rows: readonly Readonly<Record<string, unknown>>[]): void {
  const columns = Object.keys(rows[0] ?? {});
  const cells = [columns, ...rows.map((row) => columns.map((column) => String(row[column])))];
  const widths = columns.map((_, index) => Math.max(...cells.map((row) => (row[index] ?? '').length)));
  for (const row of cells) {
    console.log(
      row
        .map((cell, index) => (index === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[index] ?? 0)))
        .join('  '),
    );
  }
}

/** Prints whether a promise holds, and makes the process exit with 1 if it does not. */
export function judge(promise: string, holds: boolean): void {
  console.log(`${holds ? 'ok  ' : 'FAIL'} ${promise}`);
  if (!holds) process.exitCode = 1;
}

const round = (value: number | undefined): number => Number((value ?? Number.NaN).toPrecision(5));
