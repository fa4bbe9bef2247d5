import {
  type Alarm,
  AlarmStatusWidget,
  Dashboard,
  GraphWidget,
  type IMetric,
  LegendPosition,
  MathExpression,
  Metric,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import type { GrantedFunction } from '../constructs/granted-function.ts';
import type { ApiStack } from './api.ts';
import type { DataStack } from './data.ts';
import type { EdgeStack } from './edge.ts';

export type Functions = Readonly<
  Record<'Api' | 'Stream' | 'Publish' | 'Step' | 'Upload' | 'Inference', GrantedFunction>
>;

interface Shown {
  readonly data: DataStack;
  readonly api: ApiStack;
  readonly edge: EdgeStack;
  readonly functions: Functions;
  readonly alarms: readonly Alarm[];
}

/** The dashboard: alarms, requests, functions, tools, queues and delays. */
export const overview = (scope: Construct, { data, api, edge, functions, alarms }: Shown): Dashboard => {
  const { Api, Stream, Publish, Step } = functions;
  const each = (title: string, of: (one: GrantedFunction) => IMetric): GraphWidget =>
    graph(title, ...Object.values(functions).map(of));
  const latency = ['p50', 'p95', 'p99'].map((statistic) => Api.function.metricDuration({ statistic }));
  return new Dashboard(scope, 'Dashboard', {
    widgets: [
      [new AlarmStatusWidget({ title: 'Alarms', alarms: [...alarms], width: 24 })],
      [
        graph('Requests', viewers(edge, 'Requests', 'Sum'), api.api.function.metricInvocations()),
        graph('Errors (%)', ...['4xxErrorRate', '5xxErrorRate'].map((name) => viewers(edge, name, 'Average'))),
        graph('Latency of the api (ms)', ...latency),
      ],
      [
        graph('Answers 5xx of the api', api.api.function.metric('Url5xxCount', { statistic: 'Sum' })),
        graph('Edge function errors', ...EDGE_ERRORS.map((name) => viewers(edge, name, 'Sum'))),
        graph('Table throttles', ...THROTTLES.map((name) => data.table.metric(name, { statistic: 'Sum' }))),
      ],
      [
        each('Function errors', (one) => one.function.metricErrors()),
        each('Throttles', (one) => one.function.metricThrottles()),
        graph('Tool calls and failures', ofTools('Calls'), ofTools('Failures')),
      ],
      [
        each('Failed events waiting', (one) => one.failures.metricApproximateNumberOfMessagesVisible()),
        each('Age of the oldest (s)', (one) => one.failures.metricApproximateAgeOfOldestMessage()),
        graph(
          'Stream behind the table (ms)',
          ...[Stream, Publish].map((one) => one.function.metric('IteratorAge', { statistic: 'max' })),
        ),
      ],
      [
        graph(
          'Table units',
          data.table.metricConsumedReadCapacityUnits(),
          data.table.metricConsumedWriteCapacityUnits(),
        ),
        each('Calls at once', (one) => one.function.metric('ConcurrentExecutions', { statistic: 'max' })),
        graph('Steps', Step.function.metricInvocations(), Step.function.metricErrors()),
      ],
    ],
  });
};

const EDGE_ERRORS = ['LambdaExecutionError', 'LambdaValidationError', 'LambdaLimitExceededError'] as const;
const THROTTLES = ['ReadThrottleEvents', 'WriteThrottleEvents'] as const;

const graph = (title: string, ...left: readonly IMetric[]): GraphWidget =>
  new GraphWidget({ title, left: [...left], width: 8, legendPosition: LegendPosition.BOTTOM });

/** CloudFront's metrics are always in us-east-1. */
const viewers = (edge: EdgeStack, metricName: string, statistic: string): Metric =>
  new Metric({
    namespace: 'AWS/CloudFront',
    metricName,
    statistic,
    region: 'us-east-1',
    dimensionsMap: { DistributionId: edge.door.distribution.distributionId, Region: 'Global' },
  });

/** The functions write these metrics by tool; this is their sum. */
const ofTools = (metricName: string): MathExpression =>
  new MathExpression({
    label: metricName,
    expression: `SUM(SEARCH('{Assay,service,tool} MetricName="${metricName}"', 'Sum'))`,
    usingMetrics: {},
  });
