import { Metrics } from '@aws-lambda-powertools/metrics';

/** In a module of its own, as the package is: the first call of a tool loads it, no start does. */
export const cloudwatchMetrics = (): Metrics => new Metrics({ namespace: 'Assay', serviceName: 'execute' });
