import { readTraceparent } from '../../../shared/kernel/trace-parent.ts';
import { inSegment, type Tracer } from '../../../shared/kernel/tracer.ts';

/** Runs a call in the trace that the client names in `_meta`; otherwise in that of the HTTP request. */
export const inClientTrace = <T>(tracer: Tracer, named: unknown, work: () => Promise<T>): Promise<T> => {
  const parent = typeof named === 'string' ? readTraceparent(named) : undefined;
  return parent ? inSegment(tracer, { name: 'mcp tools/call', kind: 'server', parent, mayCall: true }, work) : work();
};
