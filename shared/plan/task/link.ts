import { isObject, type JsonObject, type JsonSchema } from '../../kernel/json.ts';
import type { Tool } from '../../model/tool.ts';
import { splitIdentifier } from '../../search/text.ts';
import { outputSchemaOf } from '../check-arguments.ts';
import { misfit } from '../schema-fit.ts';
import { toView } from '../schema-view.ts';

/** An earlier step whose result may be used. */
export interface Source {
  readonly id: string;
  readonly tool: Tool;
}

export interface Link {
  readonly reference: string;
  /** The argument to send: the reference itself, or an object around it such as `{base64}`. */
  readonly value: JsonObject;
  readonly score: number;
}

/** The part of a source's result that fits a parameter best; undefined when none fits. */
export const bestLink = (source: Source, parameter: string, schema: JsonSchema): Link | undefined => {
  const output = outputSchemaOf(source.tool);
  if (output === undefined) return { reference: source.id, value: { $from: source.id }, score: 0.2 };
  const links = listSlots(parameter, schema).flatMap((slot) =>
    listParts(output).flatMap(({ path, schema: part }): readonly Link[] => {
      if (misfit(toView({ ...part, ...collectDefinitions(output) }), toView(slot.schema)) !== undefined) return [];
      const reference = [source.id, ...path].join('.');
      const from = { $from: reference };
      const score = likeness(slot.name, path, slot.schema, part);
      return [{ reference, value: slot.field === undefined ? from : { [slot.field]: from }, score }];
    }),
  );
  return links.sort((a, b) => b.score - a.score || a.reference.length - b.reference.length)[0];
};

interface Slot {
  readonly name: string;
  readonly field?: string;
  readonly schema: JsonSchema;
}

/**
 * Where a result may be put: the parameter itself, or the one required field of an object that it takes (`{base64}`,
 * `{key}`).
 */
const listSlots = (parameter: string, schema: JsonSchema): readonly Slot[] => {
  const forms = [schema, ...[schema.oneOf, schema.anyOf].flatMap((forms) => (Array.isArray(forms) ? forms : []))];
  const fields = forms.filter(isObject).flatMap((form) => {
    const [field, ...others] = Array.isArray(form.required) ? form.required.map(String) : [];
    const inner = isObject(form.properties) && field !== undefined ? form.properties[field] : undefined;
    return field === undefined || others.length > 0 || !isObject(inner) ? [] : [{ name: field, field, schema: inner }];
  });
  return [{ name: parameter, schema }, ...fields];
};

const collectDefinitions = ({ $defs, definitions }: JsonSchema): JsonSchema => ({
  $defs,
  definitions,
});

interface Part {
  readonly path: readonly string[];
  readonly schema: JsonSchema;
}

/** The whole result, and each of its fields. */
const listParts = (output: JsonSchema): readonly Part[] => {
  const fields = Object.entries((output.properties ?? {}) as Record<string, JsonSchema>);
  return [...fields.map(([name, schema]) => ({ path: [name], schema })), { path: [], schema: output }];
};

// Names of a tool's main result, as opposed to facts about it.
const MAIN = new Set([
  'result',
  'output',
  'text',
  'content',
  'value',
  'data',
  'answer',
  'digest',
  'summary',
  'translation',
  'rows',
  'body',
  'date',
  'image',
  'items',
  'results',
  'unified',
]);
const SAME: readonly (readonly string[])[] = [
  ['text', 'content', 'body', 'message', 'summary', 'translation', 'result', 'unified', 'csv'],
  ['data', 'rows', 'items', 'json', 'records', 'result', 'results'],
  ['image', 'picture', 'photo', 'base64'],
  ['value', 'amount', 'number', 'quantity', 'result'],
];

const likeness = (parameter: string, path: readonly string[], wanted: JsonSchema, given: JsonSchema): number => {
  const [name] = path;
  if (name === undefined) return 0.25;
  if (name === parameter) return 1;
  const wordsOfBoth = [new Set(splitIdentifier(parameter)), new Set(splitIdentifier(name))] as const;
  const shared = [...wordsOfBoth[0]].filter((word) => wordsOfBoth[1].has(word)).length;
  const kin = SAME.some((group) => group.includes(parameter) && group.includes(name)) ? 0.5 : 0;
  const exact = given.type !== undefined && given.type === wanted.type ? 0.1 : 0;
  // A parameter with a format, such as an address, does not take just any text.
  const foreign = wanted.format !== undefined && wanted.format !== given.format ? 0.5 : 0;
  return 0.3 * shared + kin + exact + (MAIN.has(name) ? 0.3 : 0) - foreign;
};
