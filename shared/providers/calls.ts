import { Fault } from '../kernel/errors.ts';
import { omitUndefined } from '../kernel/omit-undefined.ts';
import type { Tool } from '../model/tool.ts';
import { excerpt, isDeeper, isRecord } from './json.ts';
import { callTool, metaTools, unwrapCall } from './meta-tools.ts';
import { decodeTable } from './names.ts';
import { restoreArguments } from './restore.ts';
import { SEARCH_TOOL, type SearchCall, toSearchCall } from './search-calls.ts';
import type { CallId, ModelCall, ModelCallError, Provider, RawCall } from './types.ts';

export interface ParseOptions {
  /** The names of all tools, or a table of them prepared by `nameTable`. */
  readonly names?: Iterable<string> | NameTable;
  /** Looks up a tool by name, to restore arguments to its own schema. */
  readonly tool?: (name: string) => Tool | undefined;
}

/** Maps the names that a provider uses to our tools. */
export interface NameTable {
  readonly table: ReadonlyMap<string, string>;
  readonly known: ReadonlySet<string>;
}

/** Prepares the names of a catalogue for `parseCalls`. */
export function nameTableFor(provider: Provider, names: Iterable<string>): NameTable {
  const known = new Set([...metaTools.map(({ name }) => name), ...names]);
  return { table: decodeTable(known, provider.names), known };
}

/** What a model asks for: tool calls, and searches for tools in its provider's own form. */
export interface ModelAnswer {
  readonly calls: readonly ModelCall[];
  readonly searches: readonly SearchCall[];
}

/** The most calls of one response; no model asks for as many. Results have the same limit. */
const MAX_CALLS = 1000;

export function readRawCalls(provider: Provider, raw: readonly RawCall[], options: ParseOptions): ModelAnswer {
  if (raw.length > MAX_CALLS)
    throw new Fault('InvalidInput', `the response asks for ${raw.length} calls; at most ${MAX_CALLS} are read`, {
      value: raw.length,
      limit: MAX_CALLS,
    });
  const all = parseRawCalls(provider, raw, options).map((call, at) => ({ call, isSearch: isSearch(raw[at]) }));
  return {
    calls: all.filter((each) => !each.isSearch).map(({ call }) => call),
    searches: all.filter((each) => each.isSearch).map(({ call }) => toSearchCall(call)),
  };
}

const isSearch = (call: RawCall | undefined): boolean => call?.isSearch === true || call?.name === SEARCH_TOOL;

/** Parses the calls of a response; one that cannot be parsed carries an error, and the others are unaffected. */
function parseRawCalls(provider: Provider, raw: readonly RawCall[], options: ParseOptions): readonly ModelCall[] {
  const table = toNameTable(provider, options.names);
  const given = new Set(raw.flatMap(({ id }) => (id === undefined ? [] : [id])));
  const seen = new Set<CallId>();
  return raw.map((call, index) => {
    const id = call.id ?? freeId(provider, index, given);
    const isRepeated = seen.has(id);
    seen.add(id);
    const understood = understand(call, provider, isSearch(call) ? undefined : table, options);
    const error = isRepeated ? conflict(id) : understood.error;
    return omitUndefined({
      id,
      name: understood.name,
      arguments: understood.arguments,
      error,
      thought_signature: call.thoughtSignature,
      caller: call.caller,
      form: call.form,
    });
  });
}

function toNameTable(provider: Provider, names: ParseOptions['names']): NameTable | undefined {
  return names === undefined || 'table' in names ? names : nameTableFor(provider, names);
}

function freeId(provider: Provider, index: number, given: Set<CallId>): string {
  const make = provider.newId ?? ((count: number) => `assay_call_${count}`);
  let count = index;
  while (given.has(make(count))) count += 1;
  given.add(make(count));
  return make(count);
}

const conflict = (id: CallId): ModelCallError => ({
  code: 'Conflict',
  message: `another call has the id ${excerpt(id, 80)} already`,
});

type Understood = Pick<ModelCall, 'name' | 'arguments'> & { readonly error?: ModelCallError };

function understand(
  call: RawCall,
  provider: Provider,
  table: NameTable | undefined,
  options: ParseOptions,
): Understood {
  if (typeof call.name !== 'string' || call.name === '') {
    return { name: '', arguments: {}, error: { code: 'InvalidInput', message: 'the call names no tool' } };
  }
  const name = table ? table.table.get(call.name) : call.name;
  const parsed = parseArguments(call, name ?? call.name, provider.nullArguments === true);
  if (name === undefined) return { ...parsed, name: call.name, error: unknownTool(call.name) };
  if (parsed.error) return { ...parsed, name };
  const tool = options.tool?.(name);
  const values = tool ? restoreArguments(tool.parameters, parsed.arguments, provider.keys) : parsed.arguments;
  const inner = name === callTool.name && table ? innerError(values, table) : undefined;
  return { name, arguments: values, error: inner };
}

const unknownTool = (name: string): ModelCallError => ({
  code: 'NotFound',
  message: `there is no tool ${excerpt(name, 80)}`,
});

/** Inside call_tool, names are those of the catalogue, not the provider's. */
function innerError(values: ModelCall['arguments'], { known }: NameTable): ModelCallError | undefined {
  const inner = unwrapCall({ name: callTool.name, arguments: values });
  if ('error' in inner) return inner.error;
  return known.has(inner.name) ? undefined : unknownTool(inner.name);
}

/**
 * Arguments are accepted only when they were received completely. JSON text is complete when it parses; where there is
 * no text, or a value may still grow, the provider must have said that it is complete.
 */
function parseArguments(
  { arguments: given, cut, isOpen = false }: RawCall,
  name: string,
  mayBeNull: boolean,
): { arguments: ModelCall['arguments']; error?: ModelCallError } {
  if (cut !== undefined) return unread(name, cut);
  const isNothing = given === undefined || (typeof given === 'string' && given.trim() === '');
  if (isOpen && (isNothing || typeof given !== 'string')) return unread(name, 'the stream ended before they did');
  // Models often call tools without parameters with no arguments at all.
  if (isNothing) return { arguments: {} };
  const value = typeof given === 'string' ? parseJson(given) : given;
  if (value === NOT_JSON && isOpen) return unread(name, 'the stream ended inside them');
  if (isRecord(value) && isDeeper(value, MAX_LEVELS))
    return refused(`the arguments for ${excerpt(name, 80)} are nested deeper than ${MAX_LEVELS} levels`);
  if (isRecord(value)) return { arguments: value };
  if (value === null && mayBeNull) return { arguments: {} };
  const what = value === NOT_JSON ? 'not JSON' : value === null ? 'null' : 'not an object';
  return refused(`the arguments for ${excerpt(name, 80)} are ${what}: ${excerpt(given, 120)}`);
}

const MAX_LEVELS = 200;

const refused = (message: string): { arguments: ModelCall['arguments']; error: ModelCallError } => ({
  arguments: {},
  error: { code: 'InvalidInput', message },
});

const unread = (name: string, reason: string): { arguments: ModelCall['arguments']; error: ModelCallError } =>
  refused(`the arguments for ${excerpt(name, 80)} were not read completely: ${reason}; ask the model again`);

const NOT_JSON = Symbol('not JSON');

function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    // Some models encode the JSON text as a JSON string again.
    return typeof value === 'string' ? JSON.parse(value) : value;
  } catch {
    return NOT_JSON;
  }
}
