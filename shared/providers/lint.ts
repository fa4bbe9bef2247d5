import { nextTurn } from '../kernel/end-of-turn.ts';
import type { Tool } from '../model/tool.ts';
import type { Fragment, Provider, Warning } from './types.ts';

export interface Lint extends Warning {
  readonly provider: string;
}

export interface LintOptions {
  /** Some OpenAI endpoints refused longer descriptions; today no limit is documented. */
  readonly descriptionLength?: number;
}

/** Linting a definition of this many characters takes milliseconds per provider, the largest tens of milliseconds. */
const LARGE = 10_000;

/** What each provider loses of a tool, or why it cannot take it, for the answer to a registration. */
export async function lintAgainst(
  providers: Readonly<Record<string, Provider>>,
  tool: Tool,
  options: LintOptions = {},
): Promise<readonly Lint[]> {
  const isLarge = JSON.stringify(tool).length > LARGE;
  const warnings: Lint[] = [];
  for (const [provider, target] of Object.entries(providers)) {
    if (isLarge) await nextTurn();
    warnings.push(...losses(provider, target.defineTool(tool, {}), tool));
  }
  const { descriptionLength = 1024 } = options;
  const length = tool.description?.length ?? 0;
  if (length <= descriptionLength) return warnings;
  const message = `the description has ${length} characters; some models take at most ${descriptionLength}`;
  return [...warnings, { provider: 'openai', tool: tool.name, path: '', kind: 'request', message }];
}

const losses = (provider: string, { left_out: reason, warnings }: Fragment, tool: Tool): readonly Lint[] =>
  reason === undefined
    ? warnings.map((warning) => ({ provider, ...warning }))
    : [{ provider, tool: tool.name, path: '', kind: 'narrowed', message: `is left out: ${reason}` }];
