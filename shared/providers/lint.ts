import type { Tool } from '../model/tool.ts';
import type { Provider, Warning } from './types.ts';

export interface Lint extends Warning {
  readonly provider: string;
}

export interface LintOptions {
  /** Some OpenAI endpoints refused longer descriptions; no published limit says so today. */
  readonly descriptionLength?: number;
}

/** What each provider loses of a tool, or why it cannot take it, for the answer to a registration. */
export function lintAgainst(
  providers: Readonly<Record<string, Provider>>,
  tool: Tool,
  options: LintOptions = {},
): readonly Lint[] {
  const warnings: Lint[] = Object.entries(providers).flatMap(([provider, target]) => {
    const fragment = target.defineTool(tool, {});
    if (fragment.left_out === undefined) return fragment.warnings.map((warning) => ({ provider, ...warning }));
    const message = `is left out: ${fragment.left_out}`;
    return [{ provider, tool: tool.name, path: '', kind: 'narrowed', message }];
  });
  const { descriptionLength = 1024 } = options;
  const length = tool.description?.length ?? 0;
  if (length <= descriptionLength) return warnings;
  const message = `the description has ${length} characters; some models take at most ${descriptionLength}`;
  return [...warnings, { provider: 'openai', tool: tool.name, path: '', kind: 'request', message }];
}
