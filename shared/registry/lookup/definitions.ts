import type { Tool } from '../../model/tool.ts';
import { formOf } from '../../providers/forms.ts';
import { metaTools } from '../../providers/meta-tools.ts';
import { promptInstructions } from '../../providers/prompt.ts';
import { estimateTokens } from '../../providers/tokens.ts';
import type { Assembled, DefineOptions, Fragment } from '../../providers/types.ts';
import type { Catalog } from '../catalog.ts';
import type { Entry } from '../entry.ts';
import type { Filter } from '../filter.ts';
import { jsonAnswer, type LookupAnswer, textAnswer } from './answer.ts';
import type { DefinitionsQuery, Selection } from './definitions-query.ts';
import { Kept } from './kept.ts';
import { numberStates } from './number-states.ts';
import { allowedOf } from './tools-query.ts';

/** The tools that a key may see. */
export interface View {
  readonly catalog: Catalog;
  readonly confined?: ReadonlySet<string> | undefined;
}

/** Tools as models are told of them; each answer is made once for a state of the catalogue. */
export interface Definitions {
  tools(view: View, provider: string, query: DefinitionsQuery): LookupAnswer;
  prompt(view: View, selection: Selection): LookupAnswer;
}

interface Limits {
  readonly answerBytes?: number;
  readonly fragments?: number;
}

export const createDefinitions = ({ answerBytes = 64_000_000, fragments = 20_000 }: Limits = {}): Definitions => {
  const answers = new Kept<LookupAnswer>({ entries: 1000, bytes: answerBytes });
  const defineTool = keepFragments(fragments);
  const stateOf = numberStates();

  const once = (view: View, asked: unknown, make: () => LookupAnswer): LookupAnswer => {
    const key = JSON.stringify([stateOf(view.catalog), asked, view.confined && [...view.confined].sort()]);
    const known = answers.get(key);
    if (known) return known;
    const made = make();
    answers.set(key, made, made.body.length + key.length);
    return made;
  };

  return {
    tools(view, provider, query) {
      const form = formOf(provider);
      return once(view, [provider, query], () => {
        const tools = query.isSearch ? metaTools.map(kept) : select(view, query.selection);
        const parts = tools.map(({ tool, digest }) => defineTool(provider, tool, digest, query.options));
        return definitionsAnswer(form.assemble(parts, query.options), query.isExplained);
      });
    },
    prompt(view, selection) {
      return once(view, ['prompt', selection], () => {
        const body = promptInstructions(select(view, selection).map(({ tool }) => tool));
        return textAnswer(body, { 'assay-tokens': String(estimateTokens(body)) });
      });
    },
  };
};

interface Selected {
  readonly tool: Tool;
  readonly digest: string;
}

const kept = (tool: Tool): Selected => ({ tool, digest: tool.name });

const select = ({ catalog, confined }: View, { allowed, tags, category }: Selection): readonly Selected[] => {
  const filter: Filter = {
    ...allowedOf(allowed, confined),
    tags,
    category,
  };
  const { entries } = catalog.list({ filter, limit: Number.POSITIVE_INFINITY });
  return entries.map(({ record }: Entry) => ({ tool: record.spec, digest: record.digest }));
};

/** A count is in a header, so that a client which only takes the value still learns of losses. */
const definitionsAnswer = ({ json, warnings, left_out, tokens }: Assembled, isExplained: boolean): LookupAnswer => {
  const headers = { 'assay-warnings': String(warnings.length + left_out.length), 'assay-tokens': String(tokens) };
  if (!isExplained) return jsonAnswer(json, headers);
  const explained = JSON.stringify({ warnings, left_out, tokens });
  return jsonAnswer(`{"tools":${json},${explained.slice(1)}`, headers);
};

/** Definitions depend on the tool alone: a change of one tool converts that one again, and tenants share the rest. */
const keepFragments = (most: number) => {
  const fragments = new Map<string, Fragment>();
  return (provider: string, tool: Tool, digest: string, options: DefineOptions): Fragment => {
    const { strict = false, schema = '', defer = false } = options;
    const key = `${provider} ${strict} ${schema} ${defer} ${digest}`;
    const known = fragments.get(key);
    if (known) return known;
    const made = formOf(provider).defineTool(tool, options);
    const [oldest] = fragments.size >= most ? fragments.keys() : [];
    if (oldest !== undefined) fragments.delete(oldest);
    fragments.set(key, made);
    return made;
  };
};
