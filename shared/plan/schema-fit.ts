import { canonicalJson } from '../kernel/canonical-json.ts';
import { type JsonType, listOptions, resolve, type SchemaView, stepInto, typesOf } from './schema-view.ts';

const MAX_DEPTH = 8;

/** Why the declared source cannot fit the target; undefined when it may. */
export function misfit(source: SchemaView, target: SchemaView, depth = 0): string | undefined {
  if (depth > MAX_DEPTH) return undefined;
  const [given, wanted] = [resolve(source), resolve(target)];
  return (
    misfitOfTypes(given, wanted) ??
    misfitOfOptions(given, wanted, depth) ??
    misfitOfValues(given, wanted) ??
    misfitOfObjects(given, wanted, depth) ??
    misfitOfArrays(given, wanted, depth)
  );
}

function misfitOfTypes(given: SchemaView, wanted: SchemaView): string | undefined {
  const [have, need] = [typesOf(given), typesOf(wanted)];
  // A number may happen to be an integer.
  const fits = [...have].some((type) => need.has(type) || (type === 'number' && need.has('integer')));
  return fits ? undefined : `is ${names(have)} where ${names(need)} is wanted`;
}

function misfitOfOptions(given: SchemaView, wanted: SchemaView, depth: number): string | undefined {
  for (const [options, fit] of [
    [listOptions(given), (option: SchemaView) => misfit(option, wanted, depth + 1)],
    [listOptions(wanted), (option: SchemaView) => misfit(given, option, depth + 1)],
  ] as const) {
    const reasons = options.map(fit);
    if (reasons.length > 0 && reasons.every((reason) => reason !== undefined)) return reasons[0];
  }
  return undefined;
}

function misfitOfValues(given: SchemaView, wanted: SchemaView): string | undefined {
  const [have, need] = [enumValues(given), enumValues(wanted)];
  if (have === undefined || need === undefined || have.some((value) => need.includes(value))) return undefined;
  return `is ${have.join(' or ')} where ${need.join(' or ')} is wanted`;
}

function misfitOfObjects(given: SchemaView, wanted: SchemaView, depth: number): string | undefined {
  if (!onlyHas(given, 'object') || !onlyHas(wanted, 'object')) return undefined;
  const required = Array.isArray(wanted.schema.required) ? wanted.schema.required.map(String) : [];
  const properties = Object.keys(wanted.schema.properties ?? {});
  for (const key of new Set([...required, ...properties])) {
    const [have, need] = [stepInto(given, key), stepInto(wanted, key)];
    if (have === 'missing' && required.includes(key)) return `has no ${key}, which is required`;
    if (typeof have === 'string' || typeof need === 'string') continue;
    const reason = misfit(have, need, depth + 1);
    if (reason !== undefined) return `has a ${key} that ${reason}`;
  }
  return undefined;
}

function misfitOfArrays(given: SchemaView, wanted: SchemaView, depth: number): string | undefined {
  if (!onlyHas(given, 'array') || !onlyHas(wanted, 'array')) return undefined;
  const [have, need] = [stepInto(given, '0'), stepInto(wanted, '0')];
  if (typeof have === 'string' || typeof need === 'string') return undefined;
  const reason = misfit(have, need, depth + 1);
  return reason === undefined ? undefined : `has items each of which ${reason}`;
}

function enumValues({ schema }: SchemaView): readonly string[] | undefined {
  if (Object.hasOwn(schema, 'const')) return [canonicalJson(schema.const)];
  return Array.isArray(schema.enum) ? schema.enum.map(canonicalJson) : undefined;
}

const onlyHas = (view: SchemaView, type: JsonType): boolean => {
  const types = typesOf(view);
  return types.size === 1 && types.has(type);
};

const names = (types: ReadonlySet<JsonType>): string =>
  [...types].filter((type) => type !== 'integer' || !types.has('number')).join(' or ') || 'nothing';
