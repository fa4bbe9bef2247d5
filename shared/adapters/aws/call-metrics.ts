import { type Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import type { CallRecord } from '../../model/call-record.ts';

/** Writes each call as one line of CloudWatch's embedded metric format: its figures as metrics, the rest beside them. */
export const callMetrics =
  (metrics: Metrics): ((tenant: string, record: CallRecord) => void) =>
  (tenant, record) => {
    const { arguments: _args, output: _output, error, ...about } = record;
    metrics.addDimension('tool', record.tool);
    metrics.addMetric('Calls', MetricUnit.Count, 1);
    metrics.addMetric('Failures', MetricUnit.Count, record.status === 'failed' ? 1 : 0);
    metrics.addMetric('Refusals', MetricUnit.Count, record.status === 'refused' ? 1 : 0);
    metrics.addMetric('CacheHits', MetricUnit.Count, record.cached ? 1 : 0);
    if (record.status !== 'refused') {
      metrics.addMetric('Duration', MetricUnit.Milliseconds, record.duration_ms);
      metrics.addMetric('CpuTime', MetricUnit.Milliseconds, record.cpu_ms);
      metrics.addMetric('MemoryPeak', MetricUnit.Bytes, record.memory_peak_bytes);
    }
    // Arguments and outputs stay in the table: logs are read by more people.
    metrics.addMetadata('call', JSON.stringify({ tenant, ...about, ...(error ? { error: error.type } : {}) }));
    metrics.publishStoredMetrics();
  };
