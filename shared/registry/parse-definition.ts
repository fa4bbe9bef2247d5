import type * as z from 'zod';
import { canonicalJson } from '../kernel/canonical-json.ts';
import { checkShape } from '../kernel/check-nesting.ts';
import { suggest } from '../kernel/did-you-mean.ts';
import { Fault } from '../kernel/errors.ts';
import { deepFreeze } from '../kernel/freeze.ts';
import { isObject, type JsonObject } from '../kernel/json.ts';
import { checkSchema, describeIssues, validatorFor } from '../kernel/json-schema.ts';
import { omitUndefined } from '../kernel/omit-undefined.ts';
import { invalidInput } from '../kernel/zod-fault.ts';
import { type Permission, type Tool, ToolDefinition, ToolSpec } from '../model/tool.ts';
import { expandShorthand } from './shorthand.ts';
import { refuseSourceHandler } from './source-tools.ts';

const MAX_DEFINITION_BYTES = 65_536;
const HTTP_REFUSAL = 'HTTP tools not yet supported (coming in v2)';

/** The functions that builtin and internal tools name, with the minimum permission of each. */
export interface KnownHandlers {
  readonly builtin: ReadonlyMap<string, { readonly permission: Permission }>;
  readonly internal: ReadonlyMap<string, { readonly permission: Permission }>;
}

/**
 * How schemas are checked. Compiling dominates start-up time, so shipped ones are compiled by the tests instead
 * (`test/registry/shipped-definitions.test.ts`), and those of sources, which may be thousands, are only checked for
 * their form unless they have references.
 */
export type SchemaCheck = 'checked' | 'form' | 'trusted';

/** Parses a full definition, as HTTP and configuration send it. */
export const parseDefinition = (input: unknown, handlers?: KnownHandlers, schemas: SchemaCheck = 'checked'): Tool => {
  const tool = parseWith(ToolDefinition, input, schemas);
  if (handlers) checkHandler(tool, handlers);
  return tool;
};

/** Parses a spec as the library accepts it: description and implementation are optional, null means absent. */
export const parseSpec = (input: unknown): Tool =>
  parseWith(ToolSpec, isObject(input) ? withoutNothing(input) : input, 'checked');

const parseWith = (schema: typeof ToolDefinition | typeof ToolSpec, input: unknown, schemas: SchemaCheck): Tool => {
  if (!isObject(input)) throw new Fault('InvalidInput', 'a tool definition must be a JSON object', { field: '' });
  checkShape(input, { depth: 64, what: 'the definition' });
  const raw = withAliases(input);
  if (isObject(raw.implementation) && raw.implementation.type === 'http')
    throw new Fault('InvalidInput', HTTP_REFUSAL, { field: 'implementation.type', value: 'http' });
  const tool = withoutNothing(checked(schema, raw));
  refuseReserved(tool.name);
  checkSize(tool);
  checkType(tool);
  if (schemas !== 'trusted') checkSchemas(tool, schemas === 'form' ? 'form' : 'compiled');
  // Copied, so that the caller's object can neither change the registration nor be frozen by it.
  return deepFreeze(structuredClone(tool));
};

const checked = (schema: typeof ToolDefinition | typeof ToolSpec, raw: JsonObject): Tool => {
  const parsed: z.ZodSafeParseResult<Tool> = schema.safeParse(raw);
  if (!parsed.success) throw invalidInput(parsed.error, raw, 'the definition');
  return parsed.data;
};

/** The two meta-tools that replace a catalogue too long to list. */
const reserved = new Set(['find_tools', 'call_tool', '__proto__']);

const refuseReserved = (name: string): void => {
  if (reserved.has(name))
    throw new Fault('InvalidInput', `the name ${name} is reserved; choose another`, { field: 'name', value: name });
};

const withAliases = (input: JsonObject): JsonObject => {
  const { tool_name: toolName, input_schema: inputSchema, ...rest } = input;
  refuseBoth(input, 'tool_name', 'name');
  refuseBoth(input, 'input_schema', 'parameters');
  const { output_schema: outputSchema } = rest;
  return omitUndefined({
    ...rest,
    name: toolName === undefined ? rest.name : toolName,
    parameters: inputSchema === undefined ? rest.parameters : expandShorthand(inputSchema),
    output_schema: outputSchema === undefined ? undefined : expandShorthand(outputSchema),
  });
};

const refuseBoth = (input: JsonObject, alias: string, name: string): void => {
  if (input[alias] !== undefined && input[name] !== undefined)
    throw new Fault('InvalidInput', `${alias} is another name for ${name}; give one of them`, { field: alias });
};

// RFC 8785 has no undefined: an absent and an undefined field are the same spec.
const withoutNothing = <T extends object>(value: T): T =>
  Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined && field !== null)) as T;

const checkSize = (tool: Tool): void => {
  const bytes = Buffer.byteLength(canonicalJson(tool));
  if (bytes > MAX_DEFINITION_BYTES)
    throw new Fault(
      'InvalidInput',
      `the definition of ${tool.name} has ${bytes} bytes; the limit is ${MAX_DEFINITION_BYTES}: shorten its schema or texts`,
      { field: '', value: bytes, limit: MAX_DEFINITION_BYTES },
    );
};

const checkType = (tool: Tool): void => {
  const type = tool.parameters.type;
  if (type !== 'object')
    throw new Fault('InvalidInput', `parameters.type must be "object", not ${JSON.stringify(type) ?? 'absent'}`, {
      field: 'parameters.type',
      value: type ?? null,
    });
};

const checkSchemas = (tool: Tool, depth: 'compiled' | 'form'): void => {
  checkSchema(tool.parameters, 'parameters', depth);
  if (tool.output_schema) checkSchema(tool.output_schema, 'output_schema', depth);
  if (tool.input_examples) checkExamples(tool.parameters, tool.input_examples);
};

// A provider rejects the whole request for one example that does not fit.
const checkExamples = (parameters: Tool['parameters'], examples: NonNullable<Tool['input_examples']>): void => {
  const validate = validatorFor(parameters);
  for (const [index, example] of examples.entries()) {
    const { issues } = validate(example);
    if (issues.length === 0) continue;
    const field = `input_examples.${index}`;
    throw new Fault('InvalidInput', `${field} does not fit parameters: ${describeIssues(issues)}`, { field, issues });
  }
};

const checkHandler = (tool: Tool, handlers: KnownHandlers): void => {
  const { implementation } = tool;
  if (!implementation || implementation.type === 'mock') return;
  refuseSourceHandler(tool);
  const known = handlers[implementation.type];
  if (known.has(implementation.handler)) return;
  throw new Fault(
    'InvalidInput',
    `implementation.handler ${JSON.stringify(implementation.handler)} is not a known ${implementation.type} handler${suggest(implementation.handler, known.keys())}`,
    { field: 'implementation.handler', value: implementation.handler, known: [...known.keys()].sort() },
  );
};
