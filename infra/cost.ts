import { stages } from './config.ts';
import measured from './measured.json' with { type: 'json' };
import { prices } from './prices.ts';

/** The time that a function waits for other services, which is billed too: milliseconds for each request. */
const WAIT = { table: 5, bucket: 25, secret: 0 } as const;
/** Memory as the stacks set it, in GB. */
const GB = { edge: 0.5, api: 1769 / 1024, upload: 3008 / 1024, step: 3008 / 1024, stream: 1 } as const;

type Costs = Readonly<Record<string, number>>;

/** A function's time in seconds, billed in whole milliseconds. */
const seconds = (ms: number): number => Math.ceil(ms) / 1000;
const lambda = (ms: number, gb: number, price: number = prices.lambdaX86GbSecond): number =>
  prices.lambdaRequest + seconds(ms) * gb * price;
/** How a service is used, which determines the cost of a call more than anything else. */
interface Profile {
  readonly what: string;
  /** Write units for folding a call into totals (npm run bench -- stream), and calls in a batch. */
  readonly foldUnits: number;
  readonly batch: number;
  /** Write units for the quota and the record of a call; a record takes one for each KB. */
  readonly callUnits: number;
  readonly answerBytes: number;
  readonly logBytes: number;
  readonly tracedShare: number;
}

export const profiles = {
  best: {
    what: 'one tenant, a tool or two, short answers',
    foldUnits: 0.002,
    batch: 1000,
    callUnits: 2,
    answerBytes: 500,
    logBytes: measured.log_bytes_invoke,
    tracedShare: stages.prod.tracedShare,
  },
  typical: {
    what: '50 tenants with 10 tools each',
    foldUnits: 0.15,
    batch: 1000,
    callUnits: 2.2,
    answerBytes: 1000,
    logBytes: measured.log_bytes_invoke,
    tracedShare: stages.prod.tracedShare,
  },
  worst: {
    what: 'thousands of tenants with a call now and then, records of 4 KB, idempotency keys, 5 % traced',
    foldUnits: 1,
    batch: 10,
    callUnits: 7,
    answerBytes: 10_000,
    logBytes: 2 * measured.log_bytes_invoke,
    tracedShare: 0.05,
  },
} as const satisfies Readonly<Record<string, Profile>>;

/** CloudFront and the firewall. */
const front = (bytes: number): Costs => ({
  CloudFront: prices.cloudFrontRequest + (bytes / 1e9) * prices.cloudFrontGb,
  Firewall: prices.firewallRequest,
});
/** The edge function, which runs for lookups but not for calls. */
const edge: Costs = {
  'Lambda@Edge': prices.edgeRequest + seconds(measured.edge_request_ms) * GB.edge * prices.edgeGbSecond,
};
/** Folding a call into totals. */
const fold = ({ foldUnits, batch }: Profile): Costs => ({
  Stream: lambda(200, GB.stream, prices.lambdaArmGbSecond) / batch,
  'Table, folded': foldUnits * prices.writeUnit,
});
const watched = ({ logBytes, tracedShare }: Profile): Costs => ({
  Logs: (logBytes / 1e9) * prices.logGb,
  Traces: tracedShare * prices.trace,
});

const score = measured.score_full_hd_ms;
const runMs = 3 * (measured.api_invoke_ms + 5 * WAIT.table) + 50;

/** The cost of one of each, by service. */
export const priceOperations = (profile: Profile): Readonly<Record<string, Costs>> => {
  const invoke: Costs = {
    ...front(profile.answerBytes),
    Lambda: lambda(measured.api_invoke_ms + 3 * WAIT.table, GB.api),
    Table: profile.callUnits * prices.writeUnit + 2 * prices.readUnit,
    ...fold(profile),
    ...watched(profile),
  };
  /** The steps of a plan with three nodes, each run by the step function. */
  const steps: Costs = {
    ...front(2000),
    ...edge,
    Table: 3 * (6 * prices.writeUnit + 4 * prices.readUnit) + 4 * prices.writeUnit,
    ...times(3, fold(profile)),
    ...times(3, watched(profile)),
  };
  const stepLambda = 3 * lambda(measured.api_invoke_ms + 5 * WAIT.table, GB.step);
  return {
    'lookup, answered at the edge': { ...front(2000), ...edge },
    'lookup, answered by the api': {
      ...front(2000),
      ...edge,
      Lambda: lambda(measured.api_lookup_ms, GB.api),
      Traces: profile.tracedShare * prices.trace,
    },
    'tool call': invoke,
    'score of a full-HD picture by the api': {
      ...invoke,
      ...edge,
      Lambda: lambda(score + 4 * WAIT.table + WAIT.bucket, GB.api),
      Table: (profile.callUnits + 4) * prices.writeUnit + 6 * prices.readUnit,
    },
    'score of a full-HD upload': {
      ...front(500),
      ...edge,
      Lambda: lambda(measured.api_invoke_ms, GB.api) + lambda(score + 6 * WAIT.table + 3 * WAIT.bucket, GB.upload),
      Table: 12 * prices.writeUnit + 8 * prices.readUnit,
      S3: 2 * prices.s3Put + 2 * prices.s3Get + 0.0006 * prices.s3GbMonth,
      ...fold(profile),
      ...watched(profile),
    },
    'run of a plan of 3 steps, Express': {
      ...steps,
      Lambda: stepLambda + lambda(runMs + 4 * WAIT.table, GB.api),
      'Step Functions': prices.expressRequest + seconds(runMs) * (64 / 1024) * prices.expressGbSecond,
    },
    'run of a plan of 3 steps, Standard': {
      ...steps,
      Lambda: stepLambda + lambda(measured.api_invoke_ms + 6 * WAIT.table, GB.api),
      'Step Functions': 5 * prices.standardTransition,
    },
  };
};

const times = (factor: number, costs: Costs): Costs =>
  Object.fromEntries(Object.entries(costs).map(([part, cost]) => [part, factor * cost]));

const totalOf = (costs: Costs = {}): number => Object.values(costs).reduce((sum, cost) => sum + cost, 0);

/** The table of the README, in dollars per million. */
export const costTable = (): string => {
  const [best, typical, worst] = [profiles.best, profiles.typical, profiles.worst].map(priceOperations);
  const rows = Object.entries(typical ?? {}).map(([what, costs]) => {
    const total = totalOf(costs);
    const parts = Object.entries(costs)
      .filter(([, cost]) => cost / total >= 0.01)
      .sort(([, a], [, b]) => b - a)
      .map(([part, cost]) => `${part} ${dollars(cost)}`);
    const range = `${dollars(totalOf(best?.[what]))} | **${dollars(total)}** | ${dollars(totalOf(worst?.[what]))}`;
    return `| ${what} | ${range} | ${parts.join(', ')} |`;
  });
  return ['| a million of | best | typical | worst | typical, of which |', '|---|---:|---:|---:|---|', ...rows].join(
    '\n',
  );
};

/** The fixed costs of a stage. */
const RESTING = { alarms: 30, rules: 6, secrets: 3, keys: 1 } as const;

/** The monthly cost of a stage without calls, excluding storage. */
export const restingMonth = ({
  alarms,
  rules,
  secrets,
  keys,
}: Readonly<Record<keyof typeof RESTING, number>>): number =>
  prices.firewallMonth +
  rules * prices.firewallRuleMonth +
  alarms * prices.alarmMonth +
  secrets * prices.secretMonth +
  keys * prices.keyMonth +
  prices.metricMonth;

const dollars = (one: number): string =>
  `$${(one * 1e6).toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;

if (import.meta.main) {
  console.log(costTable());
  for (const [name, { what }] of Object.entries(profiles)) console.log(`\n${name}: ${what}`);
  console.log(
    `\nAt rest $${restingMonth(RESTING).toFixed(2)} a month; opening a source's credential costs $${(prices.keyRequest * 1e6).toFixed(2)} a million.`,
  );
  const perHour = (3_600_000 / (score / 4)).toFixed(0);
  console.log(
    `\nPrices: infra/prices.ts. Processor times: infra/measured.json (npm run bench -- cost --write), plus ${WAIT.table} ms for each request to the table and ${WAIT.bucket} ms to S3.`,
    `\nA GPU machine costs $${prices.gpuHour} an hour on demand; with learned models its pace is the model's, with the shipped metrics its 4 processors do about ${perHour} pictures an hour.`,
  );
}
