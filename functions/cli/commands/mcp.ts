import { type Command, flag, UsageError } from '../command.ts';
import { bridgeStdio } from '../stdio-bridge.ts';

export const mcp: Command = {
  usage: 'mcp [--search] [--url URL --key KEY]',
  summary: 'Speaks MCP over stdin and stdout: this machine’s registry, or the one at --url',
  options: { search: flag('lists two tools, find_tools and call_tool, instead of all') },
  async run(cli) {
    if (process.stdin.isTTY) throw new UsageError('assay mcp is started by an MCP client; see assay connect');
    const api = await cli.api();
    const path = cli.values.search === true ? '/mcp?mode=search' : '/mcp';
    await bridgeStdio(process.stdin, process.stdout, (init) => api.fetch(path, init));
    return 0;
  },
};
