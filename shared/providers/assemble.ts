import type { Definer } from './definer.ts';
import { estimateTokens } from './tokens.ts';
import type { Assembled, DefineOptions, Fragment, LeftOut, Warning } from './types.ts';

/** Assembles the fragments of one request: each name once, and strict tools within the provider's limits. */
export function assembleWith(fragments: readonly Fragment[], options: DefineOptions, how: Definer): Assembled {
  const chosen = choose(fragments, how);
  const warnings: Warning[] = chosen.entries.flatMap((entry) => entry.warnings);
  for (const message of how.remarks?.(options, chosen.entries.length) ?? []) {
    warnings.push({ tool: '*', path: '', kind: 'request', message });
  }
  const isDeferred = options.defer === true && how.search !== undefined && chosen.entries.length > 0;
  const search = isDeferred ? [how.search] : [];
  const texts = [...search.map((tool) => JSON.stringify(tool)), ...chosen.entries.map(({ json }) => json)];
  const values = [...search, ...chosen.entries.map(({ value }) => value)];
  const wrap = values.length > 0 ? how.wrap : undefined;
  return {
    value: wrap ? [wrap.around(values)] : values,
    fragments: chosen.entries,
    // Computed on demand, because not every caller needs the text.
    get json() {
      return (wrap?.before ?? '[') + texts.join(',') + (wrap?.after ?? ']');
    },
    warnings,
    left_out: chosen.left_out,
    // Deferred definitions cost no tokens until they are found.
    tokens: isDeferred
      ? estimateTokens(JSON.stringify(how.search))
      : chosen.entries.reduce((sum, { tokens }) => sum + tokens, 0),
  };
}

function choose(fragments: readonly Fragment[], how: Definer): { entries: Fragment[]; left_out: LeftOut[] } {
  const entries: Fragment[] = [];
  const left_out: LeftOut[] = [];
  const names = new Set<string>();
  const overspend = trackBudget(how);
  for (const fragment of fragments) {
    const refusal = fragment.left_out ?? (names.has(fragment.name) ? `the name ${fragment.name} is taken` : undefined);
    const excess = refusal === undefined ? overspend(fragment) : undefined;
    if (refusal === undefined && (excess === undefined || fragment.plain)) {
      names.add(fragment.name);
      entries.push(excess !== undefined && fragment.plain ? plainFor(fragment, fragment.plain, excess) : fragment);
    } else {
      left_out.push({ tool: fragment.tool, reason: refusal ?? excess ?? '' });
    }
  }
  return { entries, left_out };
}

const plainFor = ({ tool }: Fragment, plain: Fragment, excess: string): Fragment => ({
  ...plain,
  warnings: [...plain.warnings, { tool, path: '', kind: 'plain', message: `given in the plain form: ${excess}` }],
});

const SPENT = {
  tools: 'strict tools',
  optional: 'optional parameters',
  unions: 'parameters of several forms',
  fields: 'parameters',
} as const;

/** Tracks the strict-mode budget of a request; returns the reason when a tool exceeds it. */
function trackBudget(how: Definer): (fragment: Fragment) => string | undefined {
  const budget = how.strict?.budget;
  let spent = { tools: 0, optional: 0, unions: 0, fields: 0 };
  return ({ strict, cost }) => {
    if (!budget || !strict) return undefined;
    const next = {
      tools: spent.tools + 1,
      optional: spent.optional + cost.optional,
      unions: spent.unions + cost.unions,
      fields: spent.fields + cost.fields,
    };
    for (const key of ['tools', 'optional', 'unions', 'fields'] as const) {
      if (next[key] > budget[key]) {
        return `a request holds at most ${budget[key]} ${SPENT[key]} in the strict form, with this tool ${next[key]}`;
      }
    }
    spent = next;
    return undefined;
  };
}
