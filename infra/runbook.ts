interface Entry {
  /** What has happened, in the words of the message that people get. */
  readonly what: string;
  /** What to look at first, and what cures it. */
  readonly act: string;
}

/** Every alarm there is: an alarm cannot be made without a line here, and the README shows the same lines. */
export const runbook = {
  ApiUnavailable: {
    what: 'More than 1 % of requests to the api end in 5xx',
    act: 'Its log says which code: Unavailable names the service that did not answer (table, bucket, secret); Internal has a stack under the same request id. After a deployment, deploy the version before.',
  },
  ApiFailing: {
    what: 'The api ends without an answer in more than 1 % of calls',
    act: 'Time-outs and memory are in its log as REPORT lines; raise memory in stacks/api.ts, or look for the request that kills it.',
  },
  ApiSlow: {
    what: 'One request in a hundred takes the api longer than 10 s',
    act: 'Traces show where the time goes. Scores of large pictures belong to /v1/uploads; a slow table shows as TableThrottled.',
  },
  ViewersFailing: {
    what: 'More than 1 % of viewers’ requests end in 5xx at CloudFront',
    act: 'With ApiUnavailable: see there. Without it: 502 is the edge function or an origin that is gone, 504 an origin that is slow; the access log tells which.',
  },
  EdgeFailing: {
    what: 'The edge function failed or gave an answer that CloudFront refused',
    act: 'Its log is in us-east-1. Deploy the version before; taking the edge away from /v1/* in front-door.ts sends all to the api, which answers the same.',
  },
  TableThrottled: {
    what: 'DynamoDB throttles reads or writes',
    act: 'One key above 1,000 calls/s, or a load that doubled within half an hour: infra/README.md says what breaks first and how to raise it.',
  },
  RunsFailing: {
    what: 'More than ten runs of state machines failed in five minutes',
    act: 'The log group of machines names the state and the error. A tool that fails in many runs is quarantined by itself; States.* and Lambda.* errors are ours.',
  },
  StreamLate: {
    what: 'Statistics and usage are more than five minutes behind the table',
    act: 'Usually a batch that fails: its error is in the log of Stream. Quotas are not affected. After a loss: npx assay usage --settle.',
  },
  RecordsSetAside: {
    what: 'The stream brought records that cannot be read; they were set aside, and the others counted',
    act: 'The log of Stream names each, and STREAM#POISON in the table keeps their keys for 30 days. The calls are missing in statistics and usage: put the item right, then npx assay usage --settle.',
  },
  PublishLate: {
    what: 'Keys and catalogues reach the edge more than 30 s late',
    act: 'Look into the log of Publish. After 40 s the edge passes lookups to the api, so no revoked key is served for longer than 60 s. A revoked key is published by the api itself and does not wait for this; new tools and keys are answered by the api.',
  },
  RotationFailed: {
    what: 'The secret between CloudFront and the api was not rotated; the one in use still holds',
    act: 'Its log says at which step. Rotate again in Secrets Manager; nothing is broken until then.',
  },
  JobsWaiting: {
    what: 'A Batch queue is blocked: its first job finds no machine',
    act: 'The event’s statusReason says why: no Spot capacity (wait, or add zones in config.ts), a quota of 0 for G instances (ask for it), or a role. After 20 minutes its jobs go to processors without a GPU. Without gpu in config.ts pictures are scored by the inference function, without a GPU.',
  },
} as const satisfies Readonly<Record<string, Entry>>;

export type AlarmName = keyof typeof runbook;

/** Alarms that every function or queue has, by its name. */
export const perFunction = {
  Throttled: {
    what: 'is throttled',
    act: 'Raise apiConcurrency in config.ts, or the account’s quota of concurrent executions.',
  },
  Lost: {
    what: 'gave up on an event, which waits in its failure queue',
    act: 'Read the message and the log of that time; when the cause is gone, redrive the queue, or start UploadMachine with the event.',
  },
} as const satisfies Readonly<Record<string, Entry>>;

/** The table of the README. */
export const runbookTable = (): string =>
  [
    '| alarm | means | do |',
    '|---|---|---|',
    ...Object.entries(runbook).map(([name, { what, act }]) => `| ${name} | ${what} | ${act} |`),
    ...Object.entries(perFunction).map(([name, { what, act }]) => `| *X*${name} | X ${what} | ${act} |`),
  ].join('\n');
