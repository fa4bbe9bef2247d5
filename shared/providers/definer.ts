import { Fault, messageOf } from '../kernel/errors.ts';
import type { Tool } from '../model/tool.ts';
import { assembleWith } from './assemble.ts';
import type { Schema } from './json.ts';
import { encodeName } from './names.ts';
import { type Adapted, adaptSchema } from './schema/adapt.ts';
import type { Dialect } from './schema/dialect.ts';
import { describe } from './schema/hints.ts';
import { measure, type SchemaSize } from './schema/measure.ts';
import { portableSchema } from './schema/portable.ts';
import { estimateTokens } from './tokens.ts';
import type { Cost, DefineOptions, Definitions, Fragment, Provider, Warning } from './types.ts';

/** The parts of a provider's tool entry. */
export interface Parts {
  readonly name: string;
  readonly description: string | undefined;
  readonly parameters: Schema;
  readonly strict: boolean;
  readonly tool: Tool;
  /** The tool's examples, if they still fit the parameters that are sent. */
  readonly examples: Tool['input_examples'];
  readonly options: DefineOptions;
}

export interface Definer {
  /** The provider's name in warnings. */
  readonly label: string;
  readonly names: RegExp;
  readonly keys?: RegExp;
  readonly entry: (parts: Parts) => unknown;
  /** Any JSON Schema of type object is sent unchanged. */
  readonly isVerbatim?: boolean;
  /** The dialect of the plain form; absent where any JSON Schema is accepted, apart from what all providers refuse. */
  readonly dialect?: (options: DefineOptions) => Dialect | undefined;
  readonly strict?: {
    readonly dialect: Dialect;
    /** Why a schema exceeds the limits of the strict form, if it does. */
    readonly refuses?: (size: SchemaSize) => string | undefined;
    /** The budget that all strict tools of a request share. */
    readonly budget?: { readonly tools: number } & Cost;
    /** Whether strictness applies to the whole request, so that a tool that does not fit is left out. */
    readonly isWhole?: boolean;
  };
  /** Whether the provider takes examples of arguments. */
  readonly takesExamples?: boolean;
  /** The provider's tool that finds deferred ones. */
  readonly search?: unknown;
  /** The object around all entries, if the value is not a list. */
  readonly wrap?: {
    readonly before: string;
    readonly after: string;
    readonly around: (entries: readonly unknown[]) => unknown;
  };
  /** Warnings about the request as a whole. */
  readonly remarks?: (options: DefineOptions, count: number) => readonly string[];
}

export type Form = Pick<Provider, 'define' | 'defineTool' | 'assemble' | 'single'>;
type Speech = Omit<Provider, keyof Form>;

/** Builds the part of a provider that converts definitions. */
export function definer(how: Definer): Form {
  const defineTool: Provider['defineTool'] = (tool, options = {}) => buildFragment(tool, options, how);
  const assemble: Provider['assemble'] = (fragments, options = {}) => assembleWith(fragments, options, how);
  return {
    defineTool,
    assemble,
    define: (tools: readonly Tool[], options: DefineOptions = {}): Omit<Definitions, 'tokens'> => {
      const { value, warnings, left_out } = assemble(
        tools.map((tool) => defineTool(tool, options)),
        options,
      );
      return { value, warnings, left_out };
    },
    single: (entry) => (how.wrap ? how.wrap.around([entry]) : entry),
  };
}

/**
 * Joins the two halves of a provider. The call is marked pure, so that a bundle that only needs definitions omits the
 * rest.
 */
export const provider = <S extends Speech>(form: Form, speech: S): Form & S => ({ ...form, ...speech });

const FREE: Cost = { optional: 0, unions: 0, fields: 0 };

function buildFragment(tool: Tool, options: DefineOptions, how: Definer): Fragment {
  const { strict } = how;
  if (!options.strict || !strict) return attempt(tool, options, how, () => plain(tool, options, how));
  return attempt(tool, options, how, () => {
    try {
      return strictly(tool, options, how, strict);
    } catch (refusal) {
      if (!(refusal instanceof Fault) || strict.isWhole) throw refusal;
      const fragment = plain(tool, options, how);
      return { ...fragment, warnings: [...fragment.warnings, notStrict(tool, refusal.message)] };
    }
  });
}

/** A tool that cannot be converted is left out with the reason, so that the others still work. */
function attempt(tool: Tool, options: DefineOptions, how: Definer, build: () => Fragment): Fragment {
  try {
    return build();
  } catch (refusal) {
    if (!(refusal instanceof Fault)) throw refusal;
    const reason = messageOf(refusal);
    return { ...blank(tool, how), left_out: reason, strict: options.strict === true };
  }
}

const blank = (tool: Tool, how: Definer): Fragment => ({
  tool: tool.name,
  name: encodeName(tool.name, how.names),
  json: '',
  tokens: 0,
  warnings: [],
  strict: false,
  cost: FREE,
});

const notStrict = (tool: Tool, reason: string): Warning => ({
  tool: tool.name,
  path: '',
  kind: 'plain',
  message: `given in the plain form: ${reason}`,
});

function plain(tool: Tool, options: DefineOptions, how: Definer): Fragment {
  return complete(tool, plainSchema(tool.parameters, options, how), false, options, how);
}

function plainSchema(parameters: Schema, options: DefineOptions, how: Definer): Adapted {
  if (how.isVerbatim && parameters.type === 'object') return { schema: parameters, hints: [], warnings: [] };
  const dialect = how.dialect?.(options);
  return dialect ? adaptSchema(parameters, dialect) : portableSchema(parameters, how.label, how.keys);
}

function strictly(tool: Tool, options: DefineOptions, how: Definer, strict: NonNullable<Definer['strict']>): Fragment {
  const adapted = adaptSchema(tool.parameters, strict.dialect);
  const size = measure(adapted.schema);
  const refusal = strict.refuses?.(size);
  if (refusal !== undefined) throw new Fault('InvalidInput', refusal);
  const { optional, unions, fields } = size;
  const fragment: Fragment = { ...complete(tool, adapted, true, options, how), cost: { optional, unions, fields } };
  return strict.budget && !strict.isWhole ? { ...fragment, plain: plain(tool, options, how) } : fragment;
}

function complete(tool: Tool, adapted: Adapted, strict: boolean, options: DefineOptions, how: Definer): Fragment {
  const name = encodeName(tool.name, how.names);
  const description = describe(tool.description, adapted.hints) || undefined;
  // The provider refuses the whole request for one example that does not fit; strict schemas allow no additional
  // properties.
  const isExact = !strict && !adapted.warnings.some(({ kind }) => kind === 'narrowed' || kind === 'renamed');
  const examples = how.takesExamples && isExact ? tool.input_examples : undefined;
  const value = how.entry({ name, description, parameters: adapted.schema, strict, tool, examples, options });
  const json = JSON.stringify(value);
  const warnings: Warning[] = adapted.warnings.map(({ path, message, kind }) => ({
    tool: tool.name,
    path,
    message,
    kind,
  }));
  if (how.takesExamples && tool.input_examples && !examples) {
    const message = 'input_examples are left out, as the parameters are sent in another form';
    warnings.push({ tool: tool.name, path: '', kind: 'loosened', message });
  }
  if (name !== tool.name) {
    warnings.unshift({
      tool: tool.name,
      path: '',
      kind: 'renamed',
      message: `is sent as ${name} and mapped back in calls`,
    });
  }
  return { ...blank(tool, how), value, json, strict, warnings, tokens: estimateTokens(json) };
}
