import type { CallRecord } from '../model/call-record.ts';

/** Counts of the calls of one process, as Prometheus reads them. */
export interface CallCounters {
  observe(tenant: string, record: CallRecord): void;
  /** In Prometheus' text format, version 0.0.4. */
  text(): string;
}

/** Upper bounds in seconds. */
const BUCKETS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60] as const;
/** Tenants choose the names of tools: beyond this many, tools are counted together. */
const MAX_TOOLS = 500;

interface Durations {
  readonly counts: number[];
  seconds: number;
}

export const createCallCounters = (): CallCounters => {
  const calls = new Map<string, number>();
  const durations = new Map<string, Durations>();
  let micros = 0;
  const labelOf = (tool: string): string => (durations.has(tool) || durations.size < MAX_TOOLS ? tool : 'other');
  return {
    observe(_tenant, { tool: name, status, cached, duration_ms, charged_micros }) {
      const tool = labelOf(name);
      const of = durations.get(tool) ?? { counts: BUCKETS.map(() => 0).concat(0), seconds: 0 };
      durations.set(tool, of);
      const labels = `tool="${escaped(tool)}",status="${status}",cached="${cached}"`;
      calls.set(labels, (calls.get(labels) ?? 0) + 1);
      micros += charged_micros;
      if (status === 'refused') return;
      const seconds = duration_ms / 1000;
      const at = BUCKETS.findIndex((bound) => seconds <= bound);
      const bucket = at < 0 ? BUCKETS.length : at;
      of.counts[bucket] = (of.counts[bucket] ?? 0) + 1;
      of.seconds += seconds;
    },
    text: () =>
      [
        ...family('assay_calls_total', 'counter', 'Calls of tools that ended.'),
        ...[...calls].map(([labels, count]) => `assay_calls_total{${labels}} ${count}`),
        ...family('assay_charged_micros_total', 'counter', 'Micro-dollars charged for calls.'),
        `assay_charged_micros_total ${micros}`,
        ...family('assay_call_duration_seconds', 'histogram', 'How long tools ran.'),
        ...[...durations].flatMap(([tool, of]) => histogramLines(escaped(tool), of)),
      ]
        .join('\n')
        .concat('\n'),
  };
};

export const family = (name: string, type: string, help: string): readonly string[] => [
  `# HELP ${name} ${help}`,
  `# TYPE ${name} ${type}`,
];

const histogramLines = (tool: string, { counts, seconds }: Durations): readonly string[] => {
  let total = 0;
  const buckets = [...BUCKETS.map(String), '+Inf'].map((bound, at) => {
    total += counts[at] ?? 0;
    return `assay_call_duration_seconds_bucket{tool="${tool}",le="${bound}"} ${total}`;
  });
  return [
    ...buckets,
    `assay_call_duration_seconds_sum{tool="${tool}"} ${seconds}`,
    `assay_call_duration_seconds_count{tool="${tool}"} ${total}`,
  ];
};

const escaped = (value: string): string =>
  value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
