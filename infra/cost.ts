import measured from './measured.json' with { type: 'json' };
import { prices } from './prices.ts';

/** Waiting for other services, which a function is billed for as well: milliseconds for one request. */
const WAIT = { table: 5, bucket: 25, secret: 0 } as const;
/** Memory as the stacks set it, in GB. */
const GB = { edge: 0.5, api: 1769 / 1024, upload: 3008 / 1024, step: 3008 / 1024, stream: 0.5 } as const;

type Costs = Readonly<Record<string, number>>;

/** A function's time in seconds, billed in whole milliseconds. */
const seconds = (ms: number): number => Math.ceil(ms) / 1000;
const lambda = (ms: number, gb: number, price: number = prices.lambdaX86GbSecond): number =>
  prices.lambdaRequest + seconds(ms) * gb * price;
/** CloudFront and the edge function before the origin, for an answer of so many bytes. */
const front = (bytes: number): Costs => ({
  CloudFront: prices.cloudFrontRequest + (bytes / 1e9) * prices.cloudFrontGb,
  'Lambda@Edge': prices.edgeRequest + seconds(measured.edge_request_ms) * GB.edge * prices.edgeGbSecond,
});
/** Folding a call into totals, of which a batch of the stream holds a hundred. */
const fold = {
  Stream: lambda(50, GB.stream, prices.lambdaArmGbSecond) / 100,
  'Table, folded': (8 * prices.writeUnit) / 100,
};

const invoke: Costs = {
  ...front(1000),
  Lambda: lambda(measured.api_invoke_ms + 3 * WAIT.table, GB.api),
  Table: 4 * prices.writeUnit + 2 * prices.readUnit,
  ...fold,
};
const score = measured.score_full_hd_ms;
/** The steps of a plan with three nodes, of which the step function runs each. */
const steps: Costs = {
  Lambda: 3 * lambda(measured.api_invoke_ms + 5 * WAIT.table, GB.step),
  Table: 3 * (6 * prices.writeUnit + 4 * prices.readUnit) + 4 * prices.writeUnit,
  ...fold,
};
const runMs = 3 * (measured.api_invoke_ms + 5 * WAIT.table) + 50;

/** What one of each costs, by what is paid for. */
export const operations: Readonly<Record<string, Costs>> = {
  'lookup, answered at the edge': front(2000),
  'lookup, answered by the api': { ...front(2000), Lambda: lambda(measured.api_lookup_ms, GB.api) },
  'tool call': invoke,
  'score of a full-HD picture by the api': {
    ...invoke,
    Lambda: lambda(score + 4 * WAIT.table + WAIT.bucket, GB.api),
    Table: 8 * prices.writeUnit + 6 * prices.readUnit,
  },
  'score of a full-HD upload': {
    ...front(500),
    Lambda: lambda(measured.api_invoke_ms, GB.api) + lambda(score + 6 * WAIT.table + 3 * WAIT.bucket, GB.upload),
    Table: 12 * prices.writeUnit + 8 * prices.readUnit,
    S3: 2 * prices.s3Put + 2 * prices.s3Get + 0.0006 * prices.s3GbMonth,
    ...fold,
  },
  'run of a plan of 3 steps, Express': {
    ...front(2000),
    ...steps,
    Lambda: (steps.Lambda ?? 0) + lambda(runMs + 4 * WAIT.table, GB.api),
    'Step Functions': prices.expressRequest + seconds(runMs) * (64 / 1024) * prices.expressGbSecond,
  },
  'run of a plan of 3 steps, Standard': {
    ...front(2000),
    ...steps,
    Lambda: (steps.Lambda ?? 0) + lambda(measured.api_invoke_ms + 6 * WAIT.table, GB.api),
    'Step Functions': 5 * prices.standardTransition,
  },
};

/** The table of the README, in dollars for a million of each. */
export const costTable = (): string => {
  const rows = Object.entries(operations).map(([what, costs]) => {
    const total = Object.values(costs).reduce((sum, cost) => sum + cost, 0);
    const parts = Object.entries(costs)
      .filter(([, cost]) => cost / total >= 0.01)
      .sort(([, a], [, b]) => b - a)
      .map(([part, cost]) => `${part} ${dollars(cost)}`);
    return `| ${what} | ${dollars(total)} | ${parts.join(', ')} |`;
  });
  return ['| a million of | costs | of which |', '|---|---:|---|', ...rows].join('\n');
};

const dollars = (one: number): string =>
  `$${(one * 1e6).toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;

if (import.meta.main) {
  console.log(costTable());
  const perHour = (3_600_000 / (score / 4)).toFixed(0);
  console.log(
    `\nPrices: infra/prices.ts. Processor times: infra/measured.json (npm run bench -- cost --write), plus ${WAIT.table} ms for each request to the table and ${WAIT.bucket} ms to S3.`,
    `\nA GPU machine costs $${prices.gpuHour} an hour on demand; with learned models its pace is the model's, with the shipped metrics its 4 processors do about ${perHour} pictures an hour.`,
  );
}
