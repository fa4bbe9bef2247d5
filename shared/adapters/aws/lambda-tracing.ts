import type { KeepTracesOptions } from '../../execute/keep-traces.ts';
import type { Tracer } from '../../kernel/tracer.ts';
import { OtelEnvironment } from '../otel/settings.ts';
import { createTracing } from '../otel/tracing.ts';
import { signTraces } from './sign-traces.ts';

/** Traces of a function: those that Lambda or the caller has sampled, stored before the response, as it is frozen then. */
export const lambdaTracing = (
  ports: Pick<KeepTracesOptions, 'table' | 'clock' | 'log'>,
  variables: Readonly<Record<string, string | undefined>>,
): Promise<Tracer> =>
  createTracing({
    ...ports,
    // Most functions have no such settings, and then need no schema.
    environment: isConfigured(variables) ? OtelEnvironment.parse(variables) : {},
    delayMs: 0,
    followsParent: true,
    fetch: signTraces(() => ({
      accessKeyId: variables.AWS_ACCESS_KEY_ID ?? '',
      secretAccessKey: variables.AWS_SECRET_ACCESS_KEY ?? '',
      sessionToken: variables.AWS_SESSION_TOKEN,
    })),
  });

const isConfigured = (variables: object): boolean => Object.keys(variables).some((name) => name.startsWith('OTEL_'));
