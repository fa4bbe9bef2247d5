import { asArray, asStrings, asText, isRecord, type MutableSchema, type Schema, without } from '../json.ts';
import type { Dialect } from './dialect.ts';
import { describe, describeConstraint } from './hints.ts';
import { HINTS, typesOf } from './merge.ts';

/** The keywords of a whole schema, as opposed to one of its types. */
export const OUTER: readonly string[] = [
  'title',
  'description',
  'default',
  'contentEncoding',
  'contentMediaType',
  'examples',
  HINTS,
];

/** Adds title, description, default and described constraints to a converted schema. */
export function annotate(schema: MutableSchema, node: Schema, dialect: Dialect): MutableSchema {
  const description = descriptionOf(schema, node, dialect) || undefined;
  // No keyword may stand beside a reference.
  if (schema.$ref !== undefined) return description === undefined ? schema : { description, anyOf: [schema] };
  const isUnion = dialect.bareAnyOf && Array.isArray(schema.anyOf);
  if (isUnion) return describeFirst(without(schema, HINTS, 'description'), description, dialect);
  const out: MutableSchema = {};
  if (schema.type !== undefined) out.type = schema.type;
  if (description !== undefined) out.description = description;
  if (typeof node.title === 'string' && dialect.keywords.has('title')) out.title = node.title;
  if (node.default !== undefined && dialect.keywords.has('default')) out.default = node.default;
  for (const key in schema) if (key !== HINTS && key !== 'description') out[key] = schema[key];
  return out;
}

function descriptionOf(schema: MutableSchema, node: Schema, dialect: Dialect): string | undefined {
  if (node.default === undefined && node[HINTS] === undefined && schema[HINTS] === undefined && !isEncoded(node)) {
    if (node.description === undefined || schema.description === undefined) {
      return asText(node.description ?? schema.description);
    }
  }
  const hints = [...asStrings(schema[HINTS]), ...asStrings(node[HINTS])];
  if (node.default !== undefined && !dialect.keywords.has('default'))
    hints.push(describeConstraint('default', node.default));
  for (const key of ENCODINGS) if (typeof node[key] === 'string') hints.push(describeConstraint(key, node[key]));
  if (node.description === undefined) return describe(schema.description, hints);
  return describe(node.description, [...asStrings([schema.description]), ...hints]);
}

const isEncoded = (node: Schema): boolean => node.contentEncoding !== undefined || node.contentMediaType !== undefined;

const ENCODINGS = ['contentEncoding', 'contentMediaType'];

/** Where no keyword may stand beside anyOf, the first alternative gets the description. */
function describeFirst(schema: MutableSchema, description: string | undefined, dialect: Dialect): MutableSchema {
  const [first, ...rest] = asArray(schema.anyOf) as MutableSchema[];
  if (description === undefined || !first) return schema;
  return { ...schema, anyOf: [annotate(first, { description }, dialect), ...rest] };
}

/** The same schema, also allowing null. */
export function withNull(schema: MutableSchema, dialect: Dialect): MutableSchema {
  if (admitsNull(schema)) return schema;
  const forms = asArray(schema.anyOf);
  if (dialect.nullableFlag) {
    const [first, ...rest] = forms;
    return isRecord(first)
      ? { ...schema, anyOf: [{ ...first, nullable: true }, ...rest] }
      : { ...schema, nullable: true };
  }
  if (forms.length > 0) return { ...schema, anyOf: [...forms, { type: 'null' }] };
  if (schema.type === undefined && !Object.hasOwn(schema, '$ref')) return schema;
  if (dialect.typeLists && schema.type !== undefined) {
    const nullable: MutableSchema = { ...schema, type: [...typesOf(schema.type), 'null'] };
    if (Array.isArray(schema.enum)) nullable.enum = [...schema.enum, null];
    return nullable;
  }
  const outer = without(schema, ...Object.keys(schema).filter((key) => !OUTER.includes(key)));
  return { ...outer, anyOf: [without(schema, ...OUTER), { type: 'null' }] };
}

const admitsNull = (schema: Schema): boolean =>
  schema.nullable === true ||
  typesOf(schema.type).includes('null') ||
  asArray(schema.anyOf).some((branch) => isRecord(branch) && admitsNull(branch));

/** A schema of null alone. Gemini's SDK rejects the type `null` on its own. */
export const nullSchema = (dialect: Dialect): MutableSchema =>
  dialect.nullableFlag ? { type: 'string', nullable: true, [HINTS]: ['Always null.'] } : { type: 'null' };
