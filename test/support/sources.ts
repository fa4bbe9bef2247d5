import { connectHttp, connectStdio, type StdioCommand } from '../../shared/adapters/mcp/connect.ts';
import { mcpUpstream } from '../../shared/adapters/mcp/mcp-upstream.ts';
import type { SafeFetch } from '../../shared/kernel/safe-fetch.ts';
import type { OpenUpstream, SourcePorts } from '../../shared/sources/context.ts';

/** A `fetch` that may reach local servers of a test. */
export const testFetch: SafeFetch = (url, init, { timeoutMs }) => {
  const limits = timeoutMs === undefined ? [] : [AbortSignal.timeout(timeoutMs)];
  const signals = [...(init.signal ? [init.signal] : []), ...limits];
  return fetch(url, { ...init, signal: signals.length > 0 ? AbortSignal.any(signals) : null });
};

/** Opens sources over HTTP, and those that are configured as commands. */
export const testSources = (commands: Readonly<Record<string, StdioCommand>> = {}): SourcePorts => {
  const open: OpenUpstream = (_, { name, url = '' }, changed) => {
    const command = commands[name];
    const connect = command
      ? connectStdio(command)
      : connectHttp({ url, fetch: testFetch, credentials: async () => ({ headers: {}, query: {} }), follows: true });
    return mcpUpstream(connect, changed);
  };
  return { allowed: 'tenants', open };
};
