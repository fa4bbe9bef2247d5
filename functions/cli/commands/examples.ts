import type { ListedExample } from '../../../shared/insight/learn.ts';
import { type Command, required } from '../command.ts';
import { formatTable } from '../output.ts';

export const listExamplesCommand: Command = {
  usage: 'examples list [TOOL]',
  summary: 'Shows the requests that were learned from use, by tool',
  async run(cli) {
    const [tool] = cli.positionals;
    const query = tool === undefined ? '' : `?tool=${encodeURIComponent(tool)}`;
    const found = await (await cli.api()).json<{ examples: readonly ListedExample[] }>('GET', `/v1/examples${query}`);
    cli.output.result(found, () =>
      found.examples.length === 0
        ? 'nothing has been learnt from use yet'
        : formatTable(found.examples, [
            { title: 'TOOL', value: (example) => example.tool },
            { title: 'ID', value: ({ id }) => id },
            { title: 'FROM', value: ({ from }) => from },
            { title: 'REQUEST', value: ({ request }) => request, width: 100 },
          ]),
    );
    return 0;
  },
};

export const forgetExamplesCommand: Command = {
  usage: 'examples forget TOOL [ID]',
  summary: 'Forgets what use has taught about a tool, or one example of it',
  async run(cli) {
    const tool = required(cli, 0, 'TOOL');
    const id = cli.positionals[1];
    const query = id === undefined ? '' : `?id=${encodeURIComponent(id)}`;
    await (await cli.api()).json('DELETE', `/v1/examples/${encodeURIComponent(tool)}${query}`);
    cli.output.result({ forgotten: tool, id }, () => `forgot ${id ?? 'everything'} about ${tool}`);
    return 0;
  },
};
