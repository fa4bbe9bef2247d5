import { Metrics } from '@aws-lambda-powertools/metrics';

/** A separate module, so that the package is loaded by the first call of a tool and not by a start. */
export const cloudwatchMetrics = (): Metrics => new Metrics({ namespace: 'Assay', serviceName: 'execute' });
