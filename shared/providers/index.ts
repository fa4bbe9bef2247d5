import type { Tool } from '../model/tool.ts';
import { anthropic } from './anthropic.ts';
import { bedrock } from './bedrock.ts';
import { type ModelAnswer, type NameTable, nameTableFor, type ParseOptions, readRawCalls } from './calls.ts';
import { cohere } from './cohere.ts';
import { knownProvider, type ProviderName } from './forms.ts';
import { gemini } from './gemini.ts';
import { geminiInteractions } from './gemini-interactions.ts';
import { type Lint, type LintOptions, lintAgainst } from './lint.ts';
import { mcp } from './mcp.ts';
import { mistral } from './mistral.ts';
import { ollama } from './ollama.ts';
import { openResponses } from './open-responses.ts';
import { openai } from './openai.ts';
import { openaiResponses } from './openai-responses.ts';
import { openrouter } from './openrouter.ts';
import { buildRequest } from './request.ts';
import { formatListing } from './search-calls.ts';
import { EventFeed } from './stream/event-feed.ts';
import type {
  Assembled,
  ConvertOptions,
  DefineOptions,
  Definitions,
  Fragment,
  ModelCall,
  Provider,
  ToolResult,
} from './types.ts';

export type { ModelAnswer, NameTable, ParseOptions } from './calls.ts';
export type { EntryNote } from './entry-notes.ts';
export { type ProviderName, providerNames } from './forms.ts';
export type { Lint, LintOptions } from './lint.ts';
export { callTool, findTools, metaTools, unwrapCall } from './meta-tools.ts';
export { promptInstructions, writeInstructions } from './prompt.ts';
export { buildRequest, type ProviderRequest } from './request.ts';
export { restoreArguments } from './restore.ts';
export { SEARCH_TOOL, type SearchCall } from './search-calls.ts';
export { estimateTokens } from './tokens.ts';
export type {
  Assembled,
  CallForm,
  CallId,
  ConvertOptions,
  DefineOptions,
  Definitions,
  Fragment,
  LeftOut,
  ModelCall,
  ModelCallError,
  Provider,
  ToolResult,
  Warning,
  WarningKind,
} from './types.ts';

/** Every provider, by the name callers use. */
export const providers = {
  anthropic,
  bedrock,
  cohere,
  gemini,
  'gemini-interactions': geminiInteractions,
  mcp,
  mistral,
  ollama,
  'open-responses': openResponses,
  openai,
  'openai-responses': openaiResponses,
  openrouter,
} as const satisfies Readonly<Record<ProviderName, Provider>>;

/** The provider with a name; an unknown one is refused with a list of those known. */
export const findProvider = (name: string): Provider => providers[knownProvider(name)];

/**
 * The provider's `tools` value for some tools, in their order, with warnings about what was lost and the token cost.
 */
export function convert(provider: string, tools: readonly Tool[], options: ConvertOptions = {}): Definitions {
  const { allowed, ...asked } = options;
  const { value, warnings, left_out, tokens } = buildRequest(provider, filterAllowed(tools, allowed), asked);
  return { value, warnings, left_out, tokens };
}

function filterAllowed(tools: readonly Tool[], allowed: Iterable<string> | undefined): readonly Tool[] {
  if (allowed === undefined) return tools;
  const names = new Set(allowed);
  return tools.filter(({ name }) => names.has(name));
}

/** One tool alone, in the form that the provider's documentation shows. */
export function convertTool(provider: string, tool: Tool, options: DefineOptions = {}): Definitions {
  const target = findProvider(provider);
  const fragment = target.defineTool(tool, options);
  const left_out = fragment.left_out === undefined ? [] : [{ tool: tool.name, reason: fragment.left_out }];
  const value = left_out.length > 0 ? undefined : target.single(fragment.value);
  return { value, warnings: fragment.warnings, left_out, tokens: fragment.tokens };
}

/** Converts one tool. The result depends on nothing else, so it can be cached by the tool's digest. */
export const defineTool = (provider: string, tool: Tool, options: DefineOptions = {}): Fragment =>
  findProvider(provider).defineTool(tool, options);

/** Assembles cached fragments; `json` is the text of `value`. */
export const assemble = (provider: string, fragments: readonly Fragment[], options: DefineOptions = {}): Assembled =>
  findProvider(provider).assemble(fragments, options);

/** Prepares the names of a catalogue once, for many calls of `parseCalls`. */
export const nameTable = (provider: string, names: Iterable<string>): NameTable =>
  nameTableFor(findProvider(provider), names);

/**
 * The calls that a model asks for: from a whole response, an array of its streamed events, or the text or bytes of
 * either. A call whose arguments were not received completely carries an error.
 */
export function parseCalls(provider: string, response: unknown, options: ParseOptions = {}): readonly ModelCall[] {
  return readAnswer(provider, response, options).calls;
}

/** Like `parseCalls`, with the model's searches for tools in its provider's own form. */
export function readAnswer(provider: string, response: unknown, options: ParseOptions = {}): ModelAnswer {
  const reader = callReader(provider, options);
  reader.push(response);
  return reader.answer();
}

/** The same for a response that is still arriving, event by event or cut at any byte. */
export interface CallReader {
  push(part: unknown): void;
  /** Ends the response and returns its calls. */
  end(): readonly ModelCall[];
  /** The same, with the searches. */
  answer(): ModelAnswer;
}

export function callReader(provider: string, options: ParseOptions = {}): CallReader {
  const target = findProvider(provider);
  const feed = new EventFeed(target.reader());
  const answer = (): ModelAnswer => readRawCalls(target, feed.end(), options);
  return { push: (part) => feed.push(part), end: () => answer().calls, answer };
}

/** The provider's messages that return results and errors to the model. */
export function formatResults(provider: string, results: readonly ToolResult[]): readonly unknown[] {
  const target = findProvider(provider);
  // The provider's own search formats found tools itself; any other search returns them as its output.
  const isTold = ({ name, found }: ToolResult): boolean => found !== undefined && name !== target.searchName;
  return target.format(
    results.map((result) => (isTold(result) ? { ...result, output: formatListing(result.found ?? []) } : result)),
  );
}

const { 'gemini-interactions': _interactions, 'open-responses': _open, ...linted } = providers;

/**
 * What each provider loses of a tool, or why it cannot take it; returned when a tool is registered. Where a provider
 * has two forms, the one that loses more is reported.
 */
export const lintTool = (tool: Tool, options: LintOptions = {}): Promise<readonly Lint[]> =>
  lintAgainst(linted, tool, options);
