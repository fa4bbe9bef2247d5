import { Fault } from '../errors.ts';
import type { VersionRecord } from '../model/registration.ts';
import type { CallContext, Handler } from '../ports.ts';
import type { Handlers } from '../registry/layer.ts';

/** The function behind a version, mock answers included. */
export const handlerOf = ({ spec }: VersionRecord, handlers: Handlers): Handler => {
  const { implementation } = spec;
  if (!implementation)
    throw new Fault('Unavailable', `${spec.name} is a spec without an implementation; it can be listed but not run`, {
      tool: spec.name,
    });
  if (implementation.type === 'mock') return { permission: 'safe', run: async () => implementation.mock_response };
  const handler = handlers[implementation.type].get(implementation.handler);
  if (handler) return handler;
  throw new Fault(
    'Unavailable',
    `${spec.name} needs the ${implementation.type} handler ${implementation.handler}, which is not loaded here`,
    {
      tool: spec.name,
      handler: implementation.handler,
    },
  );
};

/** Runs a handler until it ends, its time is up or the caller gives up. */
export const runHandler = async (
  handler: Handler,
  args: Readonly<Record<string, unknown>>,
  context: Omit<CallContext, 'signal'> & { readonly signal?: AbortSignal },
  timeoutMs: number,
): Promise<unknown> => {
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), timeoutMs);
  const signal = context.signal ? AbortSignal.any([context.signal, timeout.signal]) : timeout.signal;
  const stopped = new Promise<never>((_, reject) => {
    const stop = () =>
      reject(timeout.signal.aborted ? timedOut(context.tool.name, timeoutMs) : cancelled(context.tool.name));
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([handler.run(args, { ...context, signal }), stopped]);
  } finally {
    clearTimeout(timer);
  }
};

const timedOut = (tool: string, ms: number): Error =>
  Object.assign(new Error(`${tool} did not answer within ${ms / 1000} s`), { name: 'Timeout' });

const cancelled = (tool: string): Error =>
  Object.assign(new Error(`the call of ${tool} was cancelled`), { name: 'Cancelled' });
