import type { KeepTracesOptions } from '../../execute/keep-traces.ts';
import type { Tracer } from '../../kernel/tracer.ts';
import { OtelEnvironment } from '../otel/settings.ts';
import { createTracing } from '../otel/tracing.ts';
import { signTraces } from './sign-traces.ts';

/** Traces of a function: what Lambda or the caller has chosen, made safe before the answer, since it is frozen then. */
export const lambdaTracing = (
  ports: Pick<KeepTracesOptions, 'table' | 'clock' | 'log'>,
  variables: Readonly<Record<string, string | undefined>>,
): Promise<Tracer> =>
  createTracing({
    ...ports,
    // Most functions are told nothing of it, and build no schema then.
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
