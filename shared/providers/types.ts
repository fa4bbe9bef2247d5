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

/** Options of a request besides its definitions, where the provider supports them. */
export interface RequestOptions extends DefineOptions {
  /**
   * `search`: two tools, `find_tools` and `call_tool`, instead of the catalogue; `tool_search`: the provider's own
   * search.
   */
  readonly mode?: 'search' | 'tool_search';
  /** OpenAI only: deferred definitions in namespaces, of which the model sees only name and description. */
  readonly namespaces?: boolean;
  /** Whether tools that need no consent may be called from code that the provider runs. */
  readonly callers?: 'programmatic';
  /** The tools that the model may call; all others stay in the request, so that the prompt cache stays valid. */
  readonly allowedTools?: readonly string[];
}

export interface ConvertOptions extends RequestOptions {
  readonly allowed?: Iterable<string>;
}

/**
 * The kinds of loss. `loosened`: the provider accepts more than the tool does; `narrowed`: less; `renamed`: under
 * another name; `plain`: not in the strict form; `request`: about the whole request.
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

/** What one strict definition takes from a budget of the whole request. */
export interface Cost {
  readonly optional: number;
  readonly unions: number;
  readonly fields: number;
}

/** One tool in a provider's form. It depends only on the tool and the options, so it can be cached by digest. */
export interface Fragment {
  readonly tool: string;
  /** The name under which the provider knows the tool. */
  readonly name: string;
  /** Absent when the provider cannot take the tool: `left_out` then says why. */
  readonly value?: unknown;
  readonly json: string;
  readonly tokens: number;
  readonly warnings: readonly Warning[];
  readonly left_out?: string;
  readonly strict: boolean;
  readonly cost: Cost;
  /** The plain form, used when a request has no budget for one more strict tool. */
  readonly plain?: Fragment;
}

export interface Definitions {
  /** Exactly the provider's `tools` value. */
  readonly value: unknown;
  readonly warnings: readonly Warning[];
  readonly left_out: readonly LeftOut[];
  /** An estimate of the context tokens that the definitions take. */
  readonly tokens: number;
}

/** An id as the provider gave it; JSON-RPC also uses numbers. */
export type CallId = string | number;

/**
 * The form of a call, and of its result, where it is not the provider's usual one: OpenAI's older `function_call`,
 * which has no id, and the entries of Mistral's conversations.
 */
export type CallForm = 'function_call' | 'conversation';

export interface ModelCallError {
  readonly code: 'InvalidInput' | 'NotFound' | 'Conflict';
  readonly message: string;
}

/** A call that the model asks for. One with an `error` must not run; the error is its result. */
export interface ModelCall {
  readonly id: CallId;
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly error?: ModelCallError;
  /** Gemini needs it back with the call in the next request. */
  readonly thought_signature?: string;
  /** The code that made the call, if not the model itself; OpenAI needs it back with the result. */
  readonly caller?: Readonly<Record<string, unknown>>;
  /** Must be sent back with the result. */
  readonly form?: CallForm;
}

/** A call as found in a response, before its name and arguments are parsed. */
export interface RawCall {
  readonly id?: CallId | undefined;
  readonly name: unknown;
  readonly arguments: unknown;
  /** Whether it is unknown if its arguments are complete. */
  readonly isOpen?: boolean | undefined;
  /** Why its arguments are incomplete, even if they parse. */
  readonly cut?: string | undefined;
  readonly thoughtSignature?: string | undefined;
  readonly caller?: Readonly<Record<string, unknown>> | undefined;
  readonly form?: CallForm | undefined;
  /** Whether it is a search for tools in the provider's own form. */
  readonly isSearch?: boolean | undefined;
}

export interface ToolResult {
  readonly id: CallId;
  readonly name: string;
  readonly output?: unknown;
  readonly error?: unknown;
  /** The tools that a search found, best first. */
  readonly found?: readonly Tool[];
  /** As in the call. */
  readonly caller?: Readonly<Record<string, unknown>>;
  readonly form?: CallForm;
}

export interface Provider {
  define(tools: readonly Tool[], options?: DefineOptions): Omit<Definitions, 'tokens'>;
  defineTool(tool: Tool, options?: DefineOptions): Fragment;
  assemble(fragments: readonly Fragment[], options?: DefineOptions): Assembled;
  /** The value of one tool alone, as the provider's documentation shows it. */
  single(entry: unknown): unknown;
  /** A state machine that reads the calls of one response or stream. */
  reader(): Reader;
  format(results: readonly ToolResult[]): readonly unknown[];
  /** The name of the search tool that the client runs. */
  readonly searchName?: string;
  /** The tool names that the provider accepts unchanged. */
  readonly names: RegExp;
  /** The property names that it accepts unchanged; absent when it accepts all. */
  readonly keys?: RegExp;
  /** Creates an id for a call without one. */
  readonly newId?: (index: number) => string;
  /** Whether the provider sends `null` for a tool without parameters, as Cohere does. */
  readonly nullArguments?: boolean;
}

/** The fragments of one request, in order, and the text around them. */
export interface Assembled {
  readonly value: unknown;
  /** The fragments that are sent. */
  readonly fragments: readonly Fragment[];
  readonly json: string;
  readonly warnings: readonly Warning[];
  readonly left_out: readonly LeftOut[];
  readonly tokens: number;
}
