import { omitUndefined } from '../kernel/omit-undefined.ts';
import { definer, provider } from './definer.ts';
import { isRecord, type Schema } from './json.ts';
import { encodeName } from './names.ts';
import { errorText } from './results.ts';
import { geminiDialect as dialect, GEMINI_KEYS, geminiJson } from './schema/dialect.ts';
import { geminiReader } from './stream/gemini-reader.ts';
import type { ToolResult } from './types.ts';

/** The OpenAPI subset of `parameters`. */
export interface GeminiSchema {
  readonly type?: 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object';
  readonly description?: string;
  readonly title?: string;
  readonly nullable?: boolean;
  readonly format?: string;
  readonly enum?: string[];
  readonly items?: GeminiSchema;
  readonly properties?: Record<string, GeminiSchema>;
  readonly required?: string[];
  readonly anyOf?: GeminiSchema[];
  readonly default?: unknown;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: string;
  readonly maxItems?: string;
  readonly minLength?: string;
  readonly maxLength?: string;
  readonly minProperties?: string;
  readonly maxProperties?: string;
}

export interface GeminiDeclaration {
  readonly name: string;
  readonly description?: string;
  readonly parameters?: GeminiSchema;
  readonly parametersJsonSchema?: unknown;
}

export interface GeminiTool {
  readonly functionDeclarations: GeminiDeclaration[];
}

export interface GeminiMessage {
  readonly role: 'user';
  readonly parts: {
    readonly functionResponse: {
      readonly id?: string;
      readonly name: string;
      readonly response: Record<string, unknown>;
    };
  }[];
}

/** Older endpoints allow 64 characters. */
export const GEMINI_NAMES = /^[A-Za-z_][A-Za-z0-9_.:-]{0,63}$/;

/** An id that we made for a call without one; it is not sent back. */
const OWN_ID = /^assay_call_\d+$/;

/** Google's Gemini: generateContent. */
export const geminiForm = /* @__PURE__ */ definer({
  label: 'Gemini',
  names: GEMINI_NAMES,
  dialect: (options) => (options.schema === 'json' ? geminiJson : dialect),
  entry: ({ name, description, parameters, options }): GeminiDeclaration =>
    omitUndefined({ name, description, ...toParameters(parameters, options.schema === 'json') }),
  wrap: {
    before: '[{"functionDeclarations":[',
    after: ']}]',
    around: (entries): GeminiTool => ({ functionDeclarations: entries as GeminiDeclaration[] }),
  },
  remarks: (options) => [
    ...(options.strict
      ? ['set toolConfig.functionCallingConfig.mode to VALIDATED: definitions have no strict form']
      : []),
    ...(options.defer ? ['Gemini cannot defer definitions: use mode=search'] : []),
  ],
});

export const gemini = /* @__PURE__ */ provider(geminiForm, {
  names: GEMINI_NAMES,
  keys: GEMINI_KEYS,
  reader: geminiReader,
  format: (results): readonly GeminiMessage[] => [{ role: 'user', parts: results.map(toResponse) }],
  newId: (index) => `assay_call_${index}`,
});

/** Gemini refuses an object without properties, so a function without parameters gets none. */
function toParameters(parameters: Schema, isJson: boolean): Partial<GeminiDeclaration> {
  if (isJson) return { parametersJsonSchema: parameters };
  return { parameters: isRecord(parameters.properties) ? (parameters as GeminiSchema) : undefined };
}

function toResponse({ id, name, output, error }: ToolResult): GeminiMessage['parts'][number] {
  return {
    functionResponse: omitUndefined({
      id: OWN_ID.test(String(id)) ? undefined : String(id),
      name: encodeName(name, GEMINI_NAMES),
      response: error === undefined ? { output: output ?? null } : { error: errorText(error) },
    }),
  };
}
