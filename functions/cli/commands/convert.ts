import { readFault } from '../../client/read-fault.ts';
import { type Command, flag, option, textOption, UsageError } from '../command.ts';

const flags = ['strict', 'defer', 'explain'] as const;
const texts = ['allowed', 'tags', 'category', 'schema', 'mode'] as const;

export const convert: Command = {
  usage:
    'convert PROVIDER [--allowed a,b] [--tags a,b] [--category C] [--strict] [--schema json] [--mode search] [--defer] [--explain]',
  summary: 'Prints the tools value of a provider’s request: openai, anthropic, gemini, ollama, mcp and others',
  examples: ['convert openai --allowed hash,unit_convert', 'convert anthropic --strict --explain'],
  options: {
    provider: option('NAME', 'the same as PROVIDER'),
    allowed: option('LIST', 'only these tools'),
    tags: option('LIST', 'only tools with all of these tags'),
    category: option('NAME', 'only tools of this category'),
    schema: option('json', 'Gemini: sends parametersJsonSchema'),
    mode: option('search', 'sends a search tool instead of the catalogue'),
    strict: flag('asks the provider to keep to the schema'),
    defer: flag('defers definitions until they are searched for'),
    explain: flag('adds warnings, tokens and what was left out'),
  },
  async run(cli) {
    const provider = textOption(cli, 'provider') ?? cli.positionals[0];
    if (provider === undefined) throw new UsageError('--provider is missing: openai, anthropic, gemini, ollama, ...');
    const query = new URLSearchParams();
    for (const name of texts) {
      const value = textOption(cli, name);
      if (value !== undefined) query.set(name, value);
    }
    for (const name of flags) if (cli.values[name] === true) query.set(name, 'true');
    const api = await cli.api();
    const response = await api.fetch(`/v1/providers/${encodeURIComponent(provider)}/tools?${query}`);
    if (!response.ok) throw await readFault(response);
    const value: unknown = await response.json();
    // JSON for people too, since it is pasted or piped.
    cli.output.line(JSON.stringify(value, undefined, 2));
    const warnings = Number(response.headers.get('assay-warnings') ?? 0);
    const tokens = response.headers.get('assay-tokens');
    if (!cli.output.json && cli.values.explain !== true)
      cli.output.note(
        `about ${tokens} tokens; ${warnings === 0 ? 'nothing was lost' : `${warnings} warnings (--explain)`}`,
      );
    return 0;
  },
};
