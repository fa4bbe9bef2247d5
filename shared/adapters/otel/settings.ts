import * as z from 'zod';
import { Fault } from '../../kernel/errors.ts';
import type { SpanAttributes } from '../../kernel/trace.ts';

const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

/** The variables of OpenTelemetry's specification that count here; all are optional. */
export const OtelEnvironment = z.object({
  OTEL_SDK_DISABLED: z.string().optional(),
  OTEL_TRACES_EXPORTER: z.enum(['otlp', 'none'], 'must be otlp or none').optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: z.url().optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: z.url().optional(),
  OTEL_EXPORTER_OTLP_PROTOCOL: z
    .enum(['http/json', 'http/protobuf'], 'must be http/json, which every OTLP/HTTP endpoint takes; grpc is not spoken')
    .optional(),
  OTEL_EXPORTER_OTLP_HEADERS: z.string().optional(),
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: z.string().optional(),
  OTEL_EXPORTER_OTLP_TIMEOUT: z.coerce.number().int().positive().optional(),
  OTEL_SERVICE_NAME: z.string().optional(),
  OTEL_RESOURCE_ATTRIBUTES: z.string().optional(),
  OTEL_TRACES_SAMPLER: z.enum(SAMPLERS, `must be one of ${SAMPLERS.join(', ')}`).optional(),
  OTEL_TRACES_SAMPLER_ARG: z.coerce.number().min(0).max(1).optional(),
});
export type OtelEnvironment = z.infer<typeof OtelEnvironment>;

/** Where traces go, and which. */
export interface OtelSettings {
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly resource: SpanAttributes;
  readonly sampler: (typeof SAMPLERS)[number];
  readonly ratio: number;
}

const TIMEOUT_MS = 10_000;

/** The trace settings of the environment; undefined if traces are not exported. */
export const otelSettings = (variables: OtelEnvironment): OtelSettings | undefined => {
  const base = variables.OTEL_EXPORTER_OTLP_ENDPOINT?.replace(/\/$/, '');
  const endpoint = variables.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? (base && `${base}/v1/traces`);
  const isOff = variables.OTEL_SDK_DISABLED?.toLowerCase() === 'true' || variables.OTEL_TRACES_EXPORTER === 'none';
  if (isOff || endpoint === undefined) return undefined;
  const { 'service.name': named = 'assay', ...attributes } = readPairs(
    'OTEL_RESOURCE_ATTRIBUTES',
    variables.OTEL_RESOURCE_ATTRIBUTES,
  );
  return {
    endpoint,
    headers: readPairs(
      'OTEL_EXPORTER_OTLP_HEADERS',
      variables.OTEL_EXPORTER_OTLP_TRACES_HEADERS ?? variables.OTEL_EXPORTER_OTLP_HEADERS,
    ),
    timeoutMs: variables.OTEL_EXPORTER_OTLP_TIMEOUT ?? TIMEOUT_MS,
    resource: { 'service.name': variables.OTEL_SERVICE_NAME || named, ...attributes },
    sampler: variables.OTEL_TRACES_SAMPLER ?? 'parentbased_always_on',
    ratio: variables.OTEL_TRACES_SAMPLER_ARG ?? 1,
  };
};

/** `key=value,key=value`, values as in addresses. Values may be secrets, so they are not repeated in the refusal. */
const readPairs = (name: string, text = ''): Readonly<Record<string, string>> =>
  Object.fromEntries(
    text
      .split(',')
      .filter((pair) => pair.trim() !== '')
      .map((pair) => {
        const at = pair.indexOf('=');
        if (at < 1) throw new Fault('InvalidInput', `the environment variable ${name} must be key=value,key=value`);
        return [pair.slice(0, at).trim(), decode(name, pair.slice(at + 1).trim())];
      }),
  );

const decode = (name: string, text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch (cause) {
    throw new Fault('InvalidInput', `the environment variable ${name} has a % that begins no escape`, {}, { cause });
  }
};
