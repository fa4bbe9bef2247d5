import { type StageSettings, stages } from './config.ts';
import measured from './measured.json' with { type: 'json' };

interface Bound {
  /** The part that reaches its limit. */
  readonly what: string;
  /** The load that it supports, per second. */
  readonly perSecond: number;
  readonly of: string;
  /** The origin of the limit. */
  readonly why: string;
  readonly raise: string;
}

/** Writes a second of one partition of DynamoDB, and of one item in it. */
const PARTITION_WRITES = 1000;
/** Partitions over which an hour's calls of a tenant are spread; shared/kernel/item-keys.ts has the same number. */
export const CALL_PARTITIONS = 4;
/** Lambda answers ten requests a second for each unit of concurrency at most. */
const REQUESTS_PER_CONCURRENCY = 10;
/** Concurrent executions of an account that nobody has raised; a new one may have 10. */
const ACCOUNT_CONCURRENCY = 1000;
/** CloudFront's functions at the edge, in each Region. */
const EDGE_REQUESTS = 10_000;
const FIREWALL_SECONDS = 300;
/** Step Functions creates one machine per second, with a burst of a hundred. */
const MACHINES = 1;

/** The limits of a stage's settings, the likeliest to be reached first. */
export const boundsOf = (settings: StageSettings): readonly Bound[] =>
  [
    {
      what: 'one key with a quota',
      perSecond: PARTITION_WRITES,
      of: 'calls',
      why: 'its quota is one item, so that it is never overrun',
      raise: 'give the agent several keys with a share of the quota each',
    },
    {
      what: 'one tenant',
      perSecond: CALL_PARTITIONS * PARTITION_WRITES,
      of: 'calls',
      why: `an hour’s records lie in ${CALL_PARTITIONS} partitions, each record under 1 KB`,
      raise: 'several tenants; DynamoDB also splits a partition that stays hot',
    },
    {
      what: 'all calls',
      perSecond: apiRate(settings, measured.api_invoke_ms + 15),
      of: 'calls',
      why: `apiConcurrency ${settings.apiConcurrency ?? `(the account’s ${ACCOUNT_CONCURRENCY})`}, at most ${REQUESTS_PER_CONCURRENCY} requests a second each`,
      raise: 'apiConcurrency, and the account’s quota of concurrent executions',
    },
    {
      what: 'one address',
      perSecond: Math.floor(settings.requestsPerAddress / FIREWALL_SECONDS),
      of: 'requests',
      why: `requestsPerAddress ${settings.requestsPerAddress} in five minutes`,
      raise: 'requestsPerAddress',
    },
    {
      what: 'one address without a key',
      perSecond: Math.floor(settings.keylessPerAddress / FIREWALL_SECONDS),
      of: 'requests',
      why: `keylessPerAddress ${settings.keylessPerAddress} in five minutes`,
      raise: 'keylessPerAddress',
    },
    {
      what: 'lookups in one Region',
      perSecond: EDGE_REQUESTS,
      of: 'requests',
      why: 'Lambda@Edge’s quota in each Region',
      raise: 'a larger quota at AWS',
    },
    {
      what: 'totals, for each shard of the stream',
      perSecond: measured.folded_per_shard,
      of: 'calls',
      why: 'of 50 tenants with 10 tools each, by npm run bench -- stream: what the share of a processor that 1,024 MB have folds, and two round trips a batch; DynamoDB adds shards with its partitions, and a lag delays statistics, not keys',
      raise: 'memory of Stream in stacks/api.ts',
    },
    {
      what: 'totals of a thousand tenants that call in turn, for each shard',
      perSecond: measured.folded_per_shard_scattered,
      of: 'calls',
      why: 'each call is another tenant’s item, a write unit a call',
      raise: 'memory of Stream; the shards that DynamoDB adds at such a load',
    },
    {
      what: 'plans of a new shape',
      perSecond: MACHINES,
      of: 'plans',
      why: 'Step Functions makes one machine a second, a hundred at once; plans of one shape share theirs',
      raise: 'a larger quota of CreateStateMachine at AWS',
    },
  ] as const;

const apiRate = ({ apiConcurrency = ACCOUNT_CONCURRENCY }: StageSettings, ms: number): number =>
  Math.floor(Math.min(apiConcurrency * REQUESTS_PER_CONCURRENCY, (apiConcurrency * 1000) / ms));

/** The table of the README. */
export const capacityTable = (settings: StageSettings = stages.prod): string =>
  [
    '| what | breaks above | because | raise it by |',
    '|---|---:|---|---|',
    ...boundsOf(settings).map(
      ({ what, perSecond, of, why, raise }) =>
        `| ${what} | ${perSecond.toLocaleString('en')} ${of}/s | ${why} | ${raise} |`,
    ),
  ].join('\n');

if (import.meta.main)
  for (const [name, each] of Object.entries(stages)) console.log(`${name}\n\n${capacityTable(each)}\n`);
