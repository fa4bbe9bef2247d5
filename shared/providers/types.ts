import type { Tool } from '../model/tool.ts';
import type { Reader } from './stream/reader.ts';

export interface DefineOptions {
  /** The provider's strict form, where it has one and the tool fits it. */
  readonly strict?: boolean;
  /** Gemini alone: `parametersJsonSchema` instead of `parameters`. */
  readonly schema?: 'json';
  /** Leaves the definitions out of the context until the model searches for them, where a provider can. */
  readonly defer?: boolean;
}

/** What a request asks for besides its definitions, where a provider has it. */
export interface RequestOptions extends DefineOptions {
  /** `search`: two tools, `find_tools` and `call_tool`, instead of the catalogue; `tool_search`: the provider's own. */
  readonly mode?: 'search' | 'tool_search';
  /** OpenAI alone: deferred definitions in namespaces, of which the model sees name and description only. */
  readonly namespaces?: boolean;
  /** Tools that need nobody's consent may be called from code that the provider runs. */
  readonly callers?: 'programmatic';
  /** The tools that the model may call, while all stay in the request, so that the prompt's cache holds. */
  readonly allowedTools?: readonly string[];
}

export interface ConvertOptions extends RequestOptions {
  readonly allowed?: Iterable<string>;
}

/**
 * What was lost on the way. `loosened`: the provider accepts more than the tool does; `narrowed`: less;
 * `renamed`: under another name; `plain`: not in the strict form; `request`: about the whole request.
 */
export type WarningKind = 'loosened' | 'narrowed' | 'renamed' | 'plain' | 'request';

export interface Warning {
  readonly tool: string;
  /** A JSON Pointer into the tool's parameters; empty for the tool itself. */
  readonly path: string;
  readonly message: string;
  readonly kind: WarningKind;
}

export interface LeftOut {
  readonly tool: string;
  readonly reason: string;
}

/** What one strict definition takes from a budget that a provider sets for the whole request. */
export interface Cost {
  readonly optional: number;
  readonly unions: number;
  readonly fields: number;
}

/** One tool in a provider's form: depends on the tool and the options alone, so it can be kept by digest. */
export interface Fragment {
  readonly tool: string;
  /** The name under which the provider knows the tool. */
  readonly name: string;
  /** Absent when the provider cannot take the tool: then `left_out` says why. */
  readonly value?: unknown;
  readonly json: string;
  readonly tokens: number;
  readonly warnings: readonly Warning[];
  readonly left_out?: string;
  readonly strict: boolean;
  readonly cost: Cost;
  /** What stands in when a request has no room for one more strict tool. */
  readonly plain?: Fragment;
}

export interface Definitions {
  /** Exactly the provider's `tools` value. */
  readonly value: unknown;
  readonly warnings: readonly Warning[];
  readonly left_out: readonly LeftOut[];
  /** An estimate of what the definitions take from the model's context. */
  readonly tokens: number;
}

/** An id as the provider gave it; JSON-RPC has numbers too. */
export type CallId = string | number;

/**
 * Another form than the usual one of its provider, in which a call came and its result goes back: OpenAI's earlier
 * `function_call`, which has no id, and the entries of Mistral's conversations.
 */
export type CallForm = 'function_call' | 'conversation';

export interface ModelCallError {
  readonly code: 'InvalidInput' | 'NotFound' | 'Conflict';
  readonly message: string;
}

/** A call that the model asks for. With an `error` it is not to be run, but answered with that error. */
export interface ModelCall {
  readonly id: CallId;
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly error?: ModelCallError;
  /** Must be sent back to Gemini with the call in the next request. */
  readonly thought_signature?: string;
  /** The code that called, when the model did not call by itself; OpenAI wants it back with the result. */
  readonly caller?: Readonly<Record<string, unknown>>;
  /** To be sent back with the result. */
  readonly form?: CallForm;
}

/** A call as found in a response, before its name and arguments are parsed. */
export interface RawCall {
  readonly id?: CallId | undefined;
  readonly name: unknown;
  readonly arguments: unknown;
  /** Nothing said that its arguments are complete. */
  readonly isOpen?: boolean | undefined;
  /** Why its arguments are not complete, whatever they look like. */
  readonly cut?: string | undefined;
  readonly thoughtSignature?: string | undefined;
  readonly caller?: Readonly<Record<string, unknown>> | undefined;
  readonly form?: CallForm | undefined;
  /** It asks for tools of the catalogue, in the provider's own form. */
  readonly isSearch?: boolean | undefined;
}

export interface ToolResult {
  readonly id: CallId;
  readonly name: string;
  readonly output?: unknown;
  readonly error?: unknown;
  /** What a search found, in the order of its rank. */
  readonly found?: readonly Tool[];
  /** As they stood in the call. */
  readonly caller?: Readonly<Record<string, unknown>>;
  readonly form?: CallForm;
}

export interface Provider {
  define(tools: readonly Tool[], options?: DefineOptions): Omit<Definitions, 'tokens'>;
  defineTool(tool: Tool, options?: DefineOptions): Fragment;
  assemble(fragments: readonly Fragment[], options?: DefineOptions): Assembled;
  /** The value of one tool alone, as the provider's documentation shows it. */
  single(entry: unknown): unknown;
  /** A state machine for the calls of one response or stream. */
  reader(): Reader;
  format(results: readonly ToolResult[]): readonly unknown[];
  /** The name under which the search is called that the client runs. */
  readonly searchName?: string;
  /** Which tool names the provider takes as they are. */
  readonly names: RegExp;
  /** Which property names it takes as they are; absent when all. */
  readonly keys?: RegExp;
  /** Makes an id for a call that came without one. */
  readonly newId?: (index: number) => string;
  /** Cohere sends `null` for a tool without parameters. */
  readonly nullArguments?: boolean;
}

/** The fragments that go out together, in order, and the text around them. */
export interface Assembled {
  readonly value: unknown;
  /** Those that were taken. */
  readonly fragments: readonly Fragment[];
  readonly json: string;
  readonly warnings: readonly Warning[];
  readonly left_out: readonly LeftOut[];
  readonly tokens: number;
}
