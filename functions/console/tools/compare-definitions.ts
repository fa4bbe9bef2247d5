import type { JsonObject } from '../answers.ts';

/** A difference between two versions of a tool. */
export interface Change {
  readonly path: string;
  readonly what: string;
  /** Whether callers of the older version may fail with the newer one. */
  readonly isBreaking: boolean;
}

/** The differences of two definitions: fields by name, schemas by their effect on callers. */
export const compareDefinitions = (before: JsonObject, after: JsonObject): readonly Change[] => {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].flatMap((name): readonly Change[] => {
    if (name === 'version' || isSame(before[name], after[name])) return [];
    if (name === 'parameters') return compareSchemas('parameters', before[name], after[name], 'taken');
    if (name === 'output_schema') return compareSchemas('output', before[name], after[name], 'given');
    const isBreaking = name === 'permission' && rank(after[name]) > rank(before[name]);
    return [{ path: name, what: `${show(before[name])} → ${show(after[name])}`, isBreaking }];
  });
};

/** Inputs that callers send must stay valid; outputs that they read must stay present. */
type Way = 'taken' | 'given';

const compareSchemas = (path: string, before: unknown, after: unknown, way: Way): readonly Change[] => {
  if (!isObject(before) || !isObject(after))
    return [{ path, what: isObject(after) ? 'added' : 'removed', isBreaking: way === 'given' && isObject(before) }];
  const [old, now] = [propertiesOf(before), propertiesOf(after)];
  const names = new Set([...Object.keys(old), ...Object.keys(now)]);
  const inside = [...names].flatMap((name) => compareProperty(`${path}.${name}`, name, before, after, way));
  const { properties: _, required: __, ...oldRest } = before;
  const { properties: ___, required: ____, ...nowRest } = after;
  if (isSame(oldRest, nowRest)) return inside;
  return [
    ...inside,
    { path, what: `${show(oldRest)} → ${show(nowRest)}`, isBreaking: !isSame(before.type, after.type) },
  ];
};

const compareProperty = (
  path: string,
  name: string,
  before: JsonObject,
  after: JsonObject,
  way: Way,
): readonly Change[] => {
  const [old, now] = [propertiesOf(before)[name], propertiesOf(after)[name]];
  const [was, is] = [requires(before, name), requires(after, name)];
  if (old === undefined) return [{ path, what: is ? 'added, required' : 'added', isBreaking: is && way === 'taken' }];
  if (now === undefined) return [{ path, what: 'removed', isBreaking: true }];
  const demanded: readonly Change[] =
    was === is
      ? []
      : [{ path, what: is ? 'now required' : 'no longer required', isBreaking: is === (way === 'taken') }];
  if (isSame(old, now)) return demanded;
  if (isObject(old) && isObject(now) && (old.properties !== undefined || now.properties !== undefined))
    return [...demanded, ...compareSchemas(path, old, now, way)];
  return [...demanded, { path, what: `${show(old)} → ${show(now)}`, isBreaking: narrows(old, now) }];
};

/** Only annotations may change without a break; a longer enum accepts more. */
const narrows = (old: unknown, now: unknown): boolean => {
  if (!isObject(old) || !isObject(now)) return true;
  const { description: _, title: __, examples: ___, default: ____, enum: oldValues, ...oldRest } = old;
  const { description: _a, title: _b, examples: _c, default: _d, enum: nowValues, ...nowRest } = now;
  if (!isSame(oldRest, nowRest)) return true;
  if (!Array.isArray(nowValues)) return false;
  return !Array.isArray(oldValues) || oldValues.some((value) => !nowValues.includes(value));
};

const propertiesOf = (schema: JsonObject): JsonObject => (isObject(schema.properties) ? schema.properties : {});

const requires = ({ required }: JsonObject, name: string): boolean =>
  Array.isArray(required) && required.includes(name);

const rank = (permission: unknown): number => ['safe', 'confirm', 'dangerous'].indexOf(String(permission ?? 'safe'));

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

const show = (value: unknown): string => {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 120 ? `${text.slice(0, 119)}…` : text;
};
