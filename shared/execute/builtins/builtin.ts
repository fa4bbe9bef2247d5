import type { JsonSchema } from '../../kernel/json.ts';
import type { ToolDefinition } from '../../model/tool.ts';

export type Arguments = Readonly<Record<string, unknown>>;

/** A shipped tool that is a pure function of its arguments. */
export interface Builtin {
  readonly definition: ToolDefinition;
  readonly run: (args: Arguments) => unknown;
  /**
   * Its cost: linear in the length of its arguments, unbounded, or a number of steps, one step being about a character
   * read or written. Long work never runs on the server's own thread, where nothing could stop it.
   */
  readonly work: 'linear' | 'unbounded' | ((args: Arguments) => number);
}

interface Described
  extends Pick<
    ToolDefinition,
    'name' | 'description' | 'category' | 'tags' | 'scenarios' | 'intents' | 'instructions'
  > {
  readonly parameters: Readonly<Record<string, JsonSchema>>;
  readonly required: readonly string[];
  readonly output: JsonSchema;
  readonly timeoutSeconds?: number;
  /** Whether the same arguments always give the same output. */
  readonly isConstant?: boolean;
}

/** The definition of a builtin; its handler has the same name. */
export const defineBuiltin = (described: Described): ToolDefinition => {
  const { parameters, required, output, timeoutSeconds = 10, isConstant = true, ...rest } = described;
  return {
    ...rest,
    type: 'function',
    handler: rest.name,
    implementation: { type: 'builtin', handler: rest.name },
    version: '1.0.0',
    parameters: { type: 'object', properties: parameters, required, additionalProperties: false },
    output_schema: output,
    permission: 'safe',
    cacheable: isConstant,
    timeout_seconds: timeoutSeconds,
  };
};

/** The schema of an object with all of its properties. */
export const objectSchema = (properties: Readonly<Record<string, JsonSchema>>, optional: readonly string[] = []) => ({
  type: 'object',
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
});

// Arguments have been validated against the schema.
export const textArgument = (args: Arguments, name: string): string => String(args[name] ?? '');
