import type { JsonObject, JsonSchema } from '../kernel/json.ts';
import type { Tool } from '../model/tool.ts';
import { chineseWords } from './chinese.ts';
import { splitIdentifier, TEXT_LIMIT, termOf, termsOf } from './text.ts';

/** The searched fields of a tool. `weight` multiplies a match; `norm` is the strength of length normalisation. */
export const FIELDS = [
  { name: 'name', weight: 2.2, norm: 0.5 },
  { name: 'description', weight: 1, norm: 0.6 },
  { name: 'labels', weight: 0.6, norm: 0.5 },
  { name: 'parameters', weight: 0.5, norm: 0.6 },
] as const;

/** A tool's terms, one list for each of FIELDS. */
export const fieldsOf = (tool: Tool): readonly (readonly string[])[] => [
  [...nameTerms(tool.name), ...inEnglish(tool.name)],
  [...termsOf(tool.description ?? ''), ...inEnglish(tool.description ?? '')],
  [tool.category ?? '', ...(tool.tags ?? []), ...(tool.scenarios ?? []), ...(tool.intents ?? [])].flatMap((label) =>
    termsOf(label, LABEL_LIMIT),
  ),
  schemaTexts(tool.parameters).flatMap((text) => termsOf(text)),
];

/** English translations of Chinese words, so that requests in either language find the tool. */
const inEnglish = (text: string): readonly string[] =>
  HAN.test(text) ? chineseWords(text.slice(0, TEXT_LIMIT)).flatMap(({ english }) => english) : [];
const HAN = /\p{Script=Han}/u;

/** The parts of a name, and the joined name as one more term, so that either spelling matches. */
const nameTerms = (name: string): readonly string[] => {
  const parts = splitIdentifier(name);
  const terms = parts.map(termOf).filter((term) => term !== '');
  const joined = termOf(parts.join(''));
  return parts.length > 1 && parts.length <= 4 ? [...terms, joined] : terms;
};

/** The texts of a JSON Schema: property names, descriptions, titles and enum values. */
const schemaTexts = (schema: JsonSchema): readonly string[] => {
  const texts: string[] = [];
  collect(schema, texts, 0);
  return texts;
};

const collect = (schema: unknown, texts: string[], depth: number): void => {
  if (depth > DEPTH_LIMIT || texts.length > TEXTS_LIMIT || !isObject(schema)) return;
  if (depth > 0) for (const key of ['title', 'description'] as const) addText(schema[key], texts);
  if (Array.isArray(schema.enum)) for (const value of schema.enum.slice(0, ENUM_LIMIT)) addText(value, texts);
  if (isObject(schema.properties)) {
    for (const [name, property] of Object.entries(schema.properties)) {
      texts.push(name);
      collect(property, texts, depth + 1);
    }
  }
  collect(schema.items, texts, depth + 1);
  for (const key of ['anyOf', 'oneOf', 'allOf'] as const) {
    const branches = schema[key];
    if (Array.isArray(branches)) for (const branch of branches) collect(branch, texts, depth + 1);
  }
};

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const addText = (value: unknown, texts: string[]): void => {
  if (typeof value === 'string') texts.push(value);
};

const LABEL_LIMIT = 256;
const DEPTH_LIMIT = 6;
const TEXTS_LIMIT = 2000;
const ENUM_LIMIT = 64;
