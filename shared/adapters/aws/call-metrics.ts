import type { Metrics } from '@aws-lambda-powertools/metrics';
import type { Log } from '../../kernel/ports.ts';
import type { CallRecord } from '../../model/call-record.ts';

interface Options {
  /** Created by the first call of a shipped tool. */
  readonly metrics: () => Metrics;
  readonly log: Pick<Log, 'info'>;
  /** Whether a tool comes with the product. */
  readonly isShipped: (tool: string) => boolean;
}

/**
 * Logs each call as one line. Calls of shipped tools are counted as metrics too; those of other tools are not, because
 * every name costs three metrics a month, and tenants choose the names.
 */
export const callMetrics =
  ({ metrics: metricsOf, log, isShipped }: Options): ((tenant: string, record: CallRecord) => void) =>
  (tenant, record) => {
    const { call_id, tool, version, status, duration_ms, cached, key, request_id, error } = record;
    // Without arguments and outputs, because more people read the logs.
    const about = { tenant, call_id, version, status, key, request_id, error: error?.type };
    if (!isShipped(tool)) return log.info('call', { tool, duration_ms, cached, ...about });
    const metrics = metricsOf();
    metrics.addDimension('tool', tool);
    metrics.addMetric('Calls', 'Count', 1);
    metrics.addMetric('Failures', 'Count', status === 'failed' ? 1 : 0);
    if (status !== 'refused') metrics.addMetric('Duration', 'Milliseconds', duration_ms);
    metrics.addMetadata('call', JSON.stringify(about));
    metrics.publishStoredMetrics();
  };
