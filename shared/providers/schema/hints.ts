import { asArray, excerpt, isRecord, type Schema } from '../json.ts';

type Phrase = (value: unknown, node: Schema) => string;

/** How each keyword is described where a provider lacks it. */
const phrases: Readonly<Record<string, Phrase>> = {
  minimum: (value) => `At least ${value}.`,
  maximum: (value) => `At most ${value}.`,
  exclusiveMinimum: (value) => `Greater than ${value}.`,
  exclusiveMaximum: (value) => `Less than ${value}.`,
  multipleOf: (value) => `A multiple of ${value}.`,
  minLength: (value) => `At least ${counted(value, 'character')}.`,
  maxLength: (value) => `At most ${counted(value, 'character')}.`,
  pattern: (value) => `Matches the regular expression ${excerpt(value)}`,
  format: (value) => `Format: ${excerpt(value)}.`,
  minItems: (value) => `At least ${counted(value, 'item')}.`,
  maxItems: (value) => `At most ${counted(value, 'item')}.`,
  uniqueItems: () => 'No two items alike.',
  enum: (value) => `One of: ${list(value)}.`,
  const: (value) => `Always ${excerpt(value)}.`,
  minProperties: (value) => `At least ${counted(value, 'key')}.`,
  maxProperties: (value) => `At most ${counted(value, 'key')}.`,
  additionalProperties: (value) => (value === false ? 'No other keys.' : `Values of further keys: ${excerpt(value)}.`),
  patternProperties: (value) => `Keys by pattern: ${excerpt(value)}.`,
  propertyNames: (value) => `Keys: ${excerpt(value)}.`,
  prefixItems: (value) => `Items in this order: ${excerpt(value)}.`,
  contains: (value) => `Holds an item like ${excerpt(value)}.`,
  not: (value) => `Must not be ${excerpt(value)}.`,
  dependentRequired: (value) => dependent(value),
  dependentSchemas: (value) => `Depending on the keys given: ${excerpt(value)}.`,
  if: (value, node) => conditional(value, node),
  oneOf: () => 'Exactly one of the alternatives fits.',
  required: (value) => `Required: ${list(value)}.`,
  default: (value) => `Default: ${excerpt(value)}.`,
  contentEncoding: (value) => `Encoded as ${excerpt(value)}.`,
  contentMediaType: (value) => `Media type ${excerpt(value)}.`,
};

/** A sentence that describes a constraint. */
export function describeConstraint(keyword: string, value: unknown, node: Schema = {}): string {
  const phrase = Object.hasOwn(phrases, keyword) ? phrases[keyword] : undefined;
  return phrase ? phrase(value, node) : `${keyword}: ${excerpt(value)}.`;
}

/** A description with sentences added; undefined when it is empty. */
export function describe(description: unknown, hints: readonly string[]): string | undefined {
  if (hints.length === 0) return typeof description === 'string' ? description : undefined;
  const said = typeof description === 'string' ? description.trim() : '';
  const added = hints.filter((hint, index) => hints.indexOf(hint) === index && !said.includes(hint));
  if (added.length === 0) return typeof description === 'string' ? description : undefined;
  const ended = said === '' || /[.!?:;)\]]$/.test(said) ? said : `${said}.`;
  return [ended, ...added].filter((part) => part !== '').join(' ');
}

const counted = (count: unknown, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

function list(value: unknown): string {
  const texts = asArray(value).map((entry) => JSON.stringify(entry));
  const shown = texts.slice(0, 50).join(', ');
  return texts.length > 50 ? `${shown} and ${texts.length - 50} more` : shown;
}

function dependent(value: unknown): string {
  if (!isRecord(value)) return '';
  return Object.entries(value)
    .map(([key, needed]) => `With ${JSON.stringify(key)} also ${list(needed)}.`)
    .join(' ');
}

function conditional(condition: unknown, node: Schema): string {
  const then = Object.hasOwn(node, 'then') ? ` then ${excerpt(node.then)}` : '';
  const otherwise = Object.hasOwn(node, 'else') ? ` else ${excerpt(node.else)}` : '';
  return `If ${excerpt(condition)}${then}${otherwise}.`;
}
