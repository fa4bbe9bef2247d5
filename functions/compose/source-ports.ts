import { Fault } from '../../shared/kernel/errors.ts';
import type { SafeFetch } from '../../shared/kernel/safe-fetch.ts';
import type { Configured, OperatorSource } from '../../shared/sources/configured.ts';
import type { OpenedUpstream, SourcePorts } from '../../shared/sources/context.ts';

interface Options {
  readonly allowed: SourcePorts['allowed'];
  readonly configured: Configured;
  /** The guarded way out. */
  readonly fetch: SafeFetch;
  /** Whether the process lives long enough to be told of changed lists. */
  readonly follows: boolean;
}

/** How this process reaches sources, by their kind. */
export const sourcePorts = ({ allowed, configured, fetch, follows }: Options): SourcePorts => {
  const operators = new Map(configured.sources.map((one) => [`${one.tenant}#${one.source.name}`, one]));
  return {
    allowed,
    open(tenant, source, changed) {
      const operator = source.origin === 'config' ? operators.get(`${tenant}#${source.name}`) : undefined;
      const { kind, url } = source;
      if (kind !== 'mcp') throw new Fault('Unavailable', `this process cannot reach sources of the kind ${kind}`);
      const command = url === undefined ? requireCommand(source.name, operator) : undefined;
      return openLater(async () => {
        // The client is loaded by the first use of a source, not by every start.
        const [{ mcpUpstream }, { connectHttp, connectStdio }] = await Promise.all([
          import('../../shared/adapters/mcp/mcp-upstream.ts'),
          import('../../shared/adapters/mcp/connect.ts'),
        ]);
        if (command) return mcpUpstream(connectStdio(command), changed);
        const headers = async () => operator?.headers ?? {};
        return mcpUpstream(connectHttp({ url: url ?? '', fetch, headers, follows }), changed);
      });
    },
  };
};

/** An upstream that is made when it is first used. */
const openLater = (make: () => Promise<OpenedUpstream>): OpenedUpstream => {
  let made: Promise<OpenedUpstream> | undefined;
  const opened = (): Promise<OpenedUpstream> => {
    made ??= make();
    return made;
  };
  return {
    list: async (signal) => (await opened()).list(signal),
    call: async (tool, args, context) => (await opened()).call(tool, args, context),
    close: async () => (await made)?.close?.(),
  };
};

const requireCommand = (name: string, operator: OperatorSource | undefined) => {
  if (operator?.command) return operator.command;
  throw new Fault('Unavailable', `the source ${name} is a command of a configuration that this process has not read`);
};
