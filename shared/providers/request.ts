import { omitUndefined } from '../kernel/omit-undefined.ts';
import type { Tool } from '../model/tool.ts';
import { type EntryNote, entryNotes } from './entry-notes.ts';
import { findForm, knownProvider } from './forms.ts';
import { asRecord, excerpt } from './json.ts';
import { metaTools } from './meta-tools.ts';
import { groupOf, inNamespaces } from './namespaces.ts';
import { type RequestParts, requestParts } from './request-parts.ts';
import { SEARCH_TOOL } from './search-calls.ts';
import { estimateTokens } from './tokens.ts';
import type { Assembled, DefineOptions, Fragment, LeftOut, RequestOptions, Warning } from './types.ts';

export interface ProviderRequest extends Assembled {
  readonly entries: readonly EntryNote[];
  /** The fields that the request needs besides its tools. */
  readonly request?: Readonly<Record<string, unknown>> | undefined;
}

/** Defines a tool, or returns its cached definition. */
export type Define = (tool: Tool, options: DefineOptions) => Fragment;

/** Builds the tools of a request, with the options that its provider supports. */
export function buildRequest(
  provider: string,
  tools: readonly Tool[],
  options: RequestOptions,
  define: Define = (tool, how) => findForm(provider).defineTool(tool, how),
): ProviderRequest {
  const parts: RequestParts = requestParts[knownProvider(provider)] ?? {};
  const search = options.mode === 'tool_search' ? parts.search : undefined;
  const stand = options.mode !== undefined && search === undefined;
  const chosen = stand ? metaTools : tools;
  const how = search ? { ...options, defer: true } : options;
  const callers = options.callers === 'programmatic' && !stand ? parts.callers : undefined;
  const fragments = chosen.map((tool) => called(define(tool, how), tool, callers));
  const isTaken = ({ name }: Fragment): boolean => search?.place === 'beside' && name === SEARCH_TOOL;
  const base = findForm(provider).assemble(
    fragments.filter((fragment) => !isTaken(fragment)),
    search ? { ...options, defer: false } : options,
  );
  const taken: LeftOut[] = fragments
    .filter(isTaken)
    .map(({ tool }) => ({ tool, reason: `the name ${SEARCH_TOOL} is that of the search` }));
  const sent = search?.place === 'alone' ? [] : base.fragments;
  const allowed = options.allowedTools && new Set(options.allowedTools);
  const namesAllowed = sent.filter(({ tool }) => allowed?.has(tool)).map(({ name }) => name);
  return {
    ...arrangeTools(base, sent, search?.tool, options.namespaces && parts.hasNamespaces ? chosen : undefined),
    fragments: sent,
    warnings: [...base.warnings, ...unmet(provider, options, parts, sent)],
    left_out: [...base.left_out, ...taken],
    entries: entryNotes(sent, options.allowedTools),
    request: allowed && parts.choice?.(namesAllowed),
  };
}

function called(fragment: Fragment, tool: Tool, callers: RequestParts['callers']): Fragment {
  if (!callers || fragment.left_out !== undefined) return fragment;
  const value = omitUndefined({ ...asRecord(fragment.value), ...callers(tool) });
  const plain = fragment.plain && called(fragment.plain, tool, callers);
  return { ...fragment, value, json: JSON.stringify(value), plain };
}

/** The value with the search first, and the rest in namespaces if requested. */
function arrangeTools(
  base: Assembled,
  sent: readonly Fragment[],
  search: unknown,
  grouped: readonly Tool[] | undefined,
): Pick<ProviderRequest, 'value' | 'json' | 'tokens'> {
  if (search === undefined && !grouped) return { value: base.value, json: base.json, tokens: base.tokens };
  const groups = new Map(grouped?.map((tool) => [tool.name, groupOf(tool)]));
  const entries = sent.map(({ tool, value }) => ({ tool, value, group: groups.get(tool) }));
  const own = search === undefined ? firstOf(base, sent) : [search];
  const value = [...own, ...inNamespaces(entries)];
  // Deferred definitions cost no tokens until they are found.
  const tokens = search === undefined ? base.tokens : estimateTokens(JSON.stringify(search));
  return { value, json: JSON.stringify(value), tokens };
}

/** The entries that the provider itself puts before the definitions. */
const firstOf = (base: Assembled, sent: readonly Fragment[]): readonly unknown[] => {
  const values = Array.isArray(base.value) ? base.value : [];
  return values.slice(0, values.length - sent.length);
};

/** Warnings for requested options that the provider does not support. */
function unmet(
  provider: string,
  options: RequestOptions,
  parts: RequestParts,
  sent: readonly Fragment[],
): readonly Warning[] {
  const names = new Set(sent.map(({ tool }) => tool));
  const unsent = options.allowedTools?.filter((name) => !names.has(name)) ?? [];
  const messages = [
    options.mode === 'tool_search' && !parts.search
      ? `${provider} has no search that the client runs: find_tools and call_tool stand for it`
      : '',
    options.allowedTools && !parts.choice
      ? `${provider} cannot be told which of the tools sent are allowed: use allowed`
      : '',
    unsent.length > 0 ? `allowed_tools names tools that are not sent: ${excerpt(unsent.join(', '), 300)}` : '',
    options.callers && !parts.callers ? `${provider} cannot be told who may call a tool` : '',
    options.namespaces && !parts.hasNamespaces ? `${provider} has no namespaces` : '',
  ];
  return messages
    .filter((message) => message !== '')
    .map((message) => ({ tool: '*', path: '', kind: 'request', message }));
}
