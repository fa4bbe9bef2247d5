import type { HttpBindings } from '@hono/node-server';
import * as z from 'zod';
import { type CallCounters, family } from '../../shared/insight/call-counters.ts';
import type { ApiContext } from '../api/env.ts';
import { type AnyRoute, route } from '../api/route.ts';

interface Options {
  readonly counters: CallCounters;
  /** Whether requests from this machine need no API key. */
  readonly isOpenHere: boolean;
}

/** `GET /metrics` for Prometheus: with an admin key, or without a key from this machine if `ASSAY_METRICS=local`. */
export const metricsRoute = ({ counters, isOpenHere }: Options): AnyRoute => {
  const answer = (): Response =>
    new Response(`${counters.text()}${processLines()}`, {
      headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8', 'cache-control': 'no-store' },
    });
  return route({
    method: 'get',
    path: '/metrics',
    scope: 'admin',
    summary: 'Figures of this process for Prometheus',
    tag: 'Operation',
    answers: { 200: { description: 'The figures', schema: z.string(), type: 'text/plain' } },
    guard: (c) => (isOpenHere && isLoopback(c) ? answer() : undefined),
    handle: answer,
  });
};

const isLoopback = (c: ApiContext): boolean => {
  // A request forwarded by a proxy on this machine comes from elsewhere.
  if (c.req.header('x-forwarded-for') !== undefined || c.req.header('forwarded') !== undefined) return false;
  const { incoming } = c.env as unknown as Partial<HttpBindings>;
  return /^(::ffff:)?127\.|^::1$/.test(incoming?.socket.remoteAddress ?? '');
};

const processLines = (): string => {
  const { user, system } = process.cpuUsage();
  const { rss, heapUsed } = process.memoryUsage();
  return [
    ...family('process_cpu_seconds_total', 'counter', 'Processor time.'),
    `process_cpu_seconds_total ${(user + system) / 1e6}`,
    ...family('process_resident_memory_bytes', 'gauge', 'Memory that is held.'),
    `process_resident_memory_bytes ${rss}`,
    ...family('nodejs_heap_size_used_bytes', 'gauge', 'Heap that is used.'),
    `nodejs_heap_size_used_bytes ${heapUsed}`,
    ...family('process_uptime_seconds', 'gauge', 'Since it started.'),
    `process_uptime_seconds ${process.uptime()}`,
  ]
    .join('\n')
    .concat('\n');
};
