import { readAmazonTrace, readTraceparent } from '../../shared/kernel/trace-parent.ts';
import { noTracer, type Tracer } from '../../shared/kernel/tracer.ts';
import type { ApiContext } from './env.ts';
import { headerOf, stateOf } from './request-state.ts';

/** The trace of one request. */
interface RequestTrace {
  /** The trace id for the log line, if the trace is recorded or was started by the caller. */
  readonly loggedId: string | undefined;
  run<T>(work: () => T): T;
  /** Returns the response, after storing what must be stored before it is sent. */
  end(response: Response): Response | Promise<Response>;
}

/** Continues the caller's trace or starts one; undefined when nobody records it. */
export const beginTrace = (tracer: Tracer, c: ApiContext, path: string): RequestTrace | undefined => {
  if (tracer === noTracer) return undefined;
  const { method } = c.req;
  const segment = tracer.begin({
    name: `${method} ${path}`,
    kind: 'server',
    parent: readTraceparent(headerOf(c, 'traceparent')) ?? readAmazonTrace(headerOf(c, 'x-amzn-trace-id')),
    mayCall: method !== 'GET' && method !== 'HEAD',
  });
  if (segment === undefined) return undefined;
  return {
    loggedId: segment.collector !== undefined || segment.isRemote ? segment.traceId : undefined,
    run: segment.run,
    end(response) {
      const { status } = response;
      const stored = segment.end({
        attributes: {
          'http.request.method': method,
          'http.route': path,
          'http.response.status_code': status,
          request_id: stateOf(c).requestId,
        },
        error: status >= 500 ? String(status) : undefined,
      });
      return stored === undefined ? response : stored.then(() => response);
    },
  };
};
