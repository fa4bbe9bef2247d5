import type { Tool } from '../../model/tool.ts';
import { entryNotes } from '../../providers/entry-notes.ts';
import { findForm, knownProvider } from '../../providers/forms.ts';
import { metaTools } from '../../providers/meta-tools.ts';
import { promptInstructions } from '../../providers/prompt.ts';
import type { ProviderRequest } from '../../providers/request.ts';
import { estimateTokens } from '../../providers/tokens.ts';
import type { Assembled, DefineOptions, Fragment, RequestOptions } from '../../providers/types.ts';
import type { Catalog } from '../catalog.ts';
import type { Entry } from '../entry.ts';
import type { Filter } from '../filter.ts';
import { jsonAnswer, type LookupAnswer, textAnswer } from './answer.ts';
import type { DefinitionsQuery, Selection } from './definitions-query.ts';
import { numberCatalogs } from './number-catalogs.ts';
import { allowedNames } from './tools-query.ts';

/** The tools that a key may see. */
export interface CatalogView {
  readonly catalog: Catalog;
  readonly confined?: ReadonlySet<string> | undefined;
}

/** Tool definitions in a provider's format; each response is built once per catalogue state. */
export interface DefinitionsLookup {
  tools(view: CatalogView, provider: string, query: DefinitionsQuery): LookupAnswer;
  prompt(view: CatalogView, selection: Selection): LookupAnswer;
}

/** The response cache; an `LRUCache` is one. */
export interface AnswerCache {
  get(key: string): KeptAnswer | undefined;
  set(key: string, answer: KeptAnswer, options: { readonly size: number }): unknown;
}

interface KeptAnswer extends LookupAnswer {
  /** Of the catalogue; the answer to the same question at a later one takes its place. */
  readonly at: number;
}

interface Options {
  readonly answers?: AnswerCache;
  /** Limits of the fragment cache: count and total characters, since a definition may have 64 KB. */
  readonly fragments?: number;
  readonly fragmentCharacters?: number;
  readonly build?: Build;
  /** Refuses tools that are too large together; the edge leaves that to the origin. */
  readonly check?: (tools: readonly Entry[], mode?: RequestOptions['mode']) => void;
}

/** Assembles the definitions of a request from fragments cached by digest. */
type Build = (
  provider: string,
  tools: readonly Tool[],
  options: RequestOptions,
  define: (tool: Tool, options: DefineOptions) => Fragment,
) => Assembled & Pick<ProviderRequest, 'request'>;

/** The definitions alone; `buildRequest` adds the rest of a request. */
const buildPlainly: Build = (provider, tools, options, define) =>
  findForm(provider).assemble(
    (options.mode ? metaTools : tools).map((tool) => define(tool, options)),
    options,
  );

export const createDefinitions = ({
  answers = answersUntilFull(16_000_000),
  fragments = 20_000,
  fragmentCharacters = 32_000_000,
  build = buildPlainly,
  check,
}: Options = {}): DefinitionsLookup => {
  const defineTool = keepFragments(fragments, fragmentCharacters);
  const numberOf = numberCatalogs();

  const once = ({ catalog, confined }: CatalogView, asked: unknown, make: () => LookupAnswer): LookupAnswer => {
    const at = catalog.revision;
    const key = JSON.stringify([numberOf(catalog), asked, confined && [...confined].sort()]);
    const known = answers.get(key);
    if (known?.at === at) return known;
    const made = { ...make(), at };
    answers.set(key, made, { size: made.body.length + key.length });
    return made;
  };

  return {
    tools(view, provider, query) {
      knownProvider(provider);
      return once(view, [provider, query], () => {
        const selected = select(view, query.selection);
        const { options, isExplained } = query;
        check?.(selected, options.mode);
        const digests = new Map(selected.map(({ record }) => [record.spec, record.digest]));
        const define = (tool: Tool, options: DefineOptions): Fragment =>
          defineTool(provider, tool, digests.get(tool) ?? tool.name, options);
        const tools = selected.map(({ record }) => record.spec);
        return definitionsAnswer(build(provider, tools, options, define), options, isExplained);
      });
    },
    prompt(view, selection) {
      return once(view, ['prompt', selection], () => {
        const selected = select(view, selection);
        check?.(selected);
        const body = promptInstructions(selected.map(({ record }) => record.spec));
        return textAnswer(body, { 'assay-tokens': String(estimateTokens(body)) });
      });
    },
  };
};

/** Cleared when full: enough for the edge, where an LRU library would be a fifth of the bundle. */
const answersUntilFull = (bytes: number): AnswerCache => {
  const answers = new Map<string, KeptAnswer>();
  let held = 0;
  return {
    get: (key) => answers.get(key),
    set(key, answer, { size }) {
      held += size;
      if (held > bytes) {
        answers.clear();
        held = size;
      }
      answers.set(key, answer);
    },
  };
};

const select = ({ catalog, confined }: CatalogView, { allowed, tags, category }: Selection): readonly Entry[] => {
  const filter: Filter = {
    allowed: allowedNames(allowed, confined),
    tags,
    category,
  };
  return catalog.list({ filter, limit: Number.POSITIVE_INFINITY }).entries;
};

/** Losses are reported in headers, so that clients which only read the body can still see them. */
const definitionsAnswer = (built: ReturnType<Build>, options: RequestOptions, isExplained: boolean): LookupAnswer => {
  const { json, fragments, warnings, left_out, tokens, request } = built;
  const strictness = options.strict ? countStrictness(built) : undefined;
  const headers: Record<string, string> = {
    'assay-warnings': String(warnings.length + left_out.length),
    'assay-tokens': String(tokens),
  };
  if (left_out.length > 0) headers['assay-left-out'] = leftOutText(left_out);
  if (strictness)
    headers['assay-strict'] = `strict=${strictness.strict}, plain=${strictness.plain}, left-out=${strictness.left_out}`;
  if (!isExplained) return jsonAnswer(json, headers);
  const entries = entryNotes(fragments, options.allowedTools);
  const explained = JSON.stringify({ warnings, left_out, tokens, strictness, request, entries });
  return jsonAnswer(`{"tools":${json},${explained.slice(1)}`, headers);
};

/** How many tools got the requested strict form, how many the plain one, and how many none. */
const countStrictness = ({ fragments, left_out }: Assembled) => {
  const strict = fragments.filter((fragment) => fragment.strict).length;
  return { strict, plain: fragments.length - strict, left_out: left_out.length };
};

const NAMED = 10;

/** The number of omitted tools, and their first names. */
const leftOutText = (left_out: Assembled['left_out']): string => {
  const names = left_out.slice(0, NAMED).map(({ tool }) => tool);
  return `${left_out.length}; ${names.join(', ')}${left_out.length > NAMED ? ', ...' : ''}`;
};

/**
 * Caches fragments. Each depends on its tool alone, so changing one tool converts only that one, and tenants share the
 * rest.
 */
const keepFragments = (most: number, maxCharacters: number) => {
  const fragments = new Map<string, Fragment>();
  let held = 0;
  const dropOldest = (): void => {
    for (const [key, fragment] of fragments) {
      if (fragments.size <= most && held <= maxCharacters) return;
      fragments.delete(key);
      held -= charactersOf(fragment);
    }
  };
  return (provider: string, tool: Tool, digest: string, options: DefineOptions): Fragment => {
    const { strict = false, schema = '', defer = false } = options;
    const key = `${provider} ${strict} ${schema} ${defer} ${digest}`;
    const known = fragments.get(key);
    if (known) return known;
    const made = findForm(provider).defineTool(tool, options);
    fragments.set(key, made);
    held += charactersOf(made);
    dropOldest();
    return made;
  };
};

const charactersOf = ({ json, plain }: Fragment): number => json.length + (plain?.json.length ?? 0);
