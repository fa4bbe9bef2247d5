import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

/** The median time of a call in milliseconds, over batches, so that short calls can be measured. */
export const timeOf = async (call: () => unknown, { batches = 15, calls = 100 } = {}): Promise<number> => {
  const times: number[] = [];
  for (let batch = 0; batch < batches; batch++) {
    const started = performance.now();
    for (let count = 0; count < calls; count++) await call();
    times.push((performance.now() - started) / calls);
  }
  return median(times);
};

/** Alternates several measurements over some rounds and returns the median of each. */
export const alternate = async <Name extends string>(
  rounds: number,
  measurements: Readonly<Record<Name, () => Promise<number>>>,
): Promise<Readonly<Record<Name, number>>> => {
  const names = Object.keys(measurements) as Name[];
  const seen = new Map<Name, number[]>(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round++)
    for (const name of names) seen.get(name)?.push(await measurements[name]());
  return Object.fromEntries(names.map((name) => [name, median(seen.get(name) ?? [])])) as Record<Name, number>;
};

const client = fileURLToPath(new URL('./load-client.ts', import.meta.url));

/** The answers per second of a server on this machine; the client is a separate process. */
export const requestsPerSecond = async (
  port: number,
  path: string,
  key = '',
  milliseconds = 1500,
  body = '',
  headers: Readonly<Record<string, string>> = {},
): Promise<number> => {
  const { stdout } = await promisify(execFile)(process.execPath, [
    client,
    String(port),
    path,
    String(milliseconds),
    '32',
    key,
    body,
    Object.entries(headers)
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join(''),
  ]);
  const { answered, failed } = JSON.parse(stdout) as { answered: number; failed: number };
  if (failed > 0) throw new Error(`${failed} of ${answered + failed} requests to ${path} failed`);
  return (answered * 1000) / milliseconds;
};

/** Prints rows of a measurement: what was measured, the figure, and its limit. */
export const printRows = (
  title: string,
  rows: readonly (readonly [what: string, figure: string, bound?: string])[],
): void => {
  console.log(`\n${title}`);
  for (const [what, figure, bound = ''] of rows) console.log(`  ${what.padEnd(58)} ${figure.padStart(14)}   ${bound}`);
};
