import type { ErrorObject } from 'ajv/dist/2020.js';
import { isObject, type JsonSchema } from './json.ts';

/**
 * Where a value fits none of several alternatives (`oneOf`, `anyOf`), the validator reports the errors of all of them.
 * Only those of the nearest alternative are kept; where none is near, one error names the alternatives.
 */
export const narrowChoices = (errors: readonly ErrorObject[], schema: JsonSchema): readonly ErrorObject[] => {
  // Innermost choices first, so that an outer choice counts each of them as one error.
  const choices = errors.filter(isChoice).toSorted((a, b) => b.schemaPath.length - a.schemaPath.length);
  let kept = errors;
  for (const choice of choices) kept = narrowOne(kept, choice, schema);
  return kept;
};

const isChoice = ({ keyword }: ErrorObject): boolean => keyword === 'oneOf' || keyword === 'anyOf';

const narrowOne = (errors: readonly ErrorObject[], choice: ErrorObject, schema: JsonSchema): readonly ErrorObject[] => {
  const prefix = `${choice.schemaPath}/`;
  const isInside = (error: ErrorObject): boolean =>
    error.schemaPath.startsWith(prefix) && error.instancePath.startsWith(choice.instancePath);
  const forms = Map.groupBy(errors.filter(isInside), ({ schemaPath }) => schemaPath.slice(prefix.length).split('/')[0]);
  if (forms.size === 0) return errors;
  const [nearest] = [...forms.values()].toSorted((a, b) => distance(a, choice) - distance(b, choice));
  const isNear = nearest?.every((error) => error.keyword !== 'type' || error.instancePath !== choice.instancePath);
  const told = isNear ? nearest : [{ ...choice, message: `must be ${namesOf(choice, schema)}` }];
  return errors.flatMap((error) => {
    if (error === choice) return told ?? [];
    return isInside(error) ? [] : [error];
  });
};

/** A wrong type is furthest; a missing or unknown property is further than a property with a wrong value. */
const distance = (errors: readonly ErrorObject[], { instancePath }: ErrorObject): number =>
  errors.reduce((sum, error) => {
    if (error.keyword === 'type' && error.instancePath === instancePath) return sum + 100;
    return sum + (error.keyword === 'required' || error.keyword === 'additionalProperties' ? 10 : 1);
  }, 0);

const namesOf = ({ schemaPath }: ErrorObject, schema: JsonSchema): string => {
  const forms = schemaPath
    .replace(/^#\/?/, '')
    .split('/')
    .map((part) => decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((inside, part) => (isObject(inside) ? inside[part] : undefined), schema);
  const names = Array.isArray(forms) ? forms.map(nameOf) : [];
  return names.length === 0 || names.includes(undefined) ? 'of one of the forms of its schema' : names.join(' or ');
};

const nameOf = (form: unknown): string | undefined => {
  if (!isObject(form)) return undefined;
  if (typeof form.title === 'string') return form.title;
  if (Array.isArray(form.required) && form.required.length > 0) return `{${form.required.join(', ')}}`;
  return typeof form.type === 'string' ? form.type : undefined;
};
