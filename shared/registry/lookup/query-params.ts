import { Fault } from '../../kernel/errors.ts';

/** The query parameters of a request: each name once, with its text. */
export type Params = Readonly<Record<string, string>>;

export const MAX_WORDS_LENGTH = 8192;

/** `a, b,c` as a list. */
export const splitList = (text: string): readonly string[] =>
  text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');

/** A list given in the query; absent when the parameter is. */
export const parseListParam = (params: Params, field: string): readonly string[] | undefined => {
  const text = params[field];
  if (text === undefined) return undefined;
  if (text.length <= MAX_WORDS_LENGTH) return splitList(text);
  throw new Fault('InvalidInput', `${field} has ${text.length} characters; it may have ${MAX_WORDS_LENGTH}`, {
    field,
    limit: MAX_WORDS_LENGTH,
  });
};

/** One of the allowed values. */
export const parseOneOf = <T extends string>(params: Params, field: string, values: readonly T[]): T | undefined => {
  const value = params[field];
  if (value === undefined || values.includes(value as T)) return value as T | undefined;
  throw new Fault(
    'InvalidInput',
    `${field} must be ${values.join(' or ')}, got ${JSON.stringify(value.slice(0, 100))}`,
    {
      field,
      value: value.slice(0, 100),
    },
  );
};

export const isTrue = (params: Params, field: string): boolean =>
  parseOneOf(params, field, ['true', 'false']) === 'true';
