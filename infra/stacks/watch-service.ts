import { Stack } from 'aws-cdk-lib';
import { type IMetric, MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import { FilterPattern } from 'aws-cdk-lib/aws-logs';
import { type Alarms, FIVE_MINUTES } from '../constructs/alarms.ts';
import type { NodeFunction } from '../constructs/node-function.ts';
import type { ApiStack } from './api.ts';
import type { DataStack } from './data.ts';
import type { PlansStack } from './plans.ts';

interface Watched {
  readonly data: DataStack;
  readonly api: ApiStack;
  readonly plans: PlansStack;
}

/** Alarms of the service: responses, latency, the table, runs and totals. */
export const watchService = (alarms: Alarms, { data, api: { api, stream, publish }, plans }: Watched): void => {
  // A 503 response is a success for Lambda: only the URL's metrics count it.
  alarms.watch('ApiUnavailable', {
    metric: share(api.function.metric('Url5xxCount', SUM), api.function.metric('UrlRequestCount', SUM)),
    above: 1,
    periods: 2,
  });
  alarms.watch('ApiFailing', {
    metric: share(api.function.metricErrors(), api.function.metricInvocations()),
    above: 1,
    periods: 2,
  });
  alarms.watch('ApiSlow', {
    metric: api.function.metricDuration({ ...FIVE_MINUTES, statistic: 'p99' }),
    above: 10_000,
    periods: 3,
  });
  alarms.watch('TableThrottled', { metric: throttles(data), above: 0, periods: 2 });
  alarms.watch('RunsFailing', { metric: plans.failedRuns, above: 10 });
  alarms.watch('StreamLate', {
    metric: stream.function.metric('IteratorAge', { ...FIVE_MINUTES, statistic: 'max' }),
    above: 300_000,
  });
  alarms.watch('RecordsSetAside', { metric: setAside(stream), above: 0 });
  alarms.watch('PublishLate', {
    metric: publish.function.metric('IteratorAge', { ...FIVE_MINUTES, statistic: 'max' }),
    above: 30_000,
  });
};

const SUM = { statistic: 'Sum' } as const;

/** A percentage; with few calls, one failure raises no alarm. */
const share = (bad: IMetric, all: IMetric): MathExpression =>
  new MathExpression({
    expression: '100 * bad / MAX([bad, all, 100])',
    usingMetrics: { bad, all },
    ...FIVE_MINUTES,
  });

/** Counted by its log line, because the function itself succeeds. */
const setAside = (stream: NodeFunction): IMetric =>
  stream.function.logGroup
    .addMetricFilter('SetAside', {
      filterPattern: FilterPattern.stringValue('$.message', '=', 'stream record set aside'),
      metricNamespace: 'Assay',
      metricName: `${Stack.of(stream).stackName}-RecordsSetAside`,
      metricValue: '1',
    })
    .metric({ ...SUM, ...FIVE_MINUTES });

const throttles = ({ table }: DataStack): MathExpression =>
  new MathExpression({
    expression: 'FILL(reads, 0) + FILL(writes, 0)',
    usingMetrics: { reads: table.metric('ReadThrottleEvents', SUM), writes: table.metric('WriteThrottleEvents', SUM) },
    ...FIVE_MINUTES,
  });
