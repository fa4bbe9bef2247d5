import { Fault } from '../kernel/errors.ts';
import { isObject } from '../kernel/json.ts';

/** The source of a reference to the run's own input, instead of a node. */
export const RUN_INPUT = '$input';

/** An argument `{"$from": "node.path"}` that takes another node's output. */
export interface Reference {
  /** The node, or `$input`. */
  readonly source: string;
  readonly path: readonly string[];
  /** As it was written. */
  readonly text: string;
  /** The position in the arguments, such as `images[0].url`. */
  readonly place: string;
}

/** Every reference in a node's arguments. */
export function referencesIn(value: unknown, node: string, place = ''): readonly Reference[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => referencesIn(item, node, `${place}[${index}]`));
  if (!isObject(value)) return [];
  const reference = readReference(value, node, place);
  if (reference !== undefined) return [reference];
  return Object.entries(value).flatMap(([key, item]) => referencesIn(item, node, joinPlace(place, key)));
}

/** Parses an argument as a reference; undefined when it is none. */
export function readReference(value: unknown, node: string, place: string): Reference | undefined {
  if (!isObject(value) || !Object.hasOwn(value, '$from')) return undefined;
  const text = value.$from;
  if (typeof text !== 'string' || Object.keys(value).length !== 1) {
    throw new Fault(
      'InvalidInput',
      `argument ${place} of node ${node} must be {"$from": "node.path"} and nothing else`,
      {
        node,
        argument: place,
      },
    );
  }
  const parts = splitPath(text);
  const [source, ...path] = parts ?? [];
  if (source === undefined) {
    const cure = 'write a node, then .name, [0] or ["name"] for each step, or $input for the input of the run';
    throw new Fault('InvalidInput', `argument ${place} of node ${node} refers to ${JSON.stringify(text)}; ${cure}`, {
      node,
      argument: place,
    });
  }
  return { source, path, text, place };
}

/** The arguments with each reference replaced by its value. */
export function fillReferences(value: unknown, node: string, take: (reference: Reference) => unknown): unknown {
  const fill = (item: unknown, place: string): unknown => {
    if (Array.isArray(item)) return item.map((one, index) => fill(one, `${place}[${index}]`));
    if (!isObject(item)) return item;
    const reference = readReference(item, node, place);
    if (reference !== undefined) return take(reference);
    return Object.fromEntries(Object.entries(item).map(([key, one]) => [key, fill(one, joinPlace(place, key))]));
  };
  return fill(value, '');
}

/** The value at a path; undefined where there is none. */
export function valueAt(value: unknown, path: readonly string[]): unknown {
  let found = value;
  for (const key of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined;
    if (Array.isArray(found) && !/^\d+$/.test(key)) return undefined;
    found = (found as Readonly<Record<string, unknown>>)[key];
  }
  return found;
}

export const joinPlace = (place: string, key: string): string => (place === '' ? key : `${place}.${key}`);

/** The parts of `a.b[0]["c.d"]`; undefined when it is malformed. */
function splitPath(text: string): readonly string[] | undefined {
  const parts: string[] = [];
  const part = /(?:^|\.)([^.[\]"\s]+)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]/y;
  while (part.lastIndex < text.length) {
    const match = part.exec(text);
    if (match === null) return undefined;
    const [, name, index, quoted] = match;
    if (parts.length === 0 && name === undefined) return undefined;
    parts.push(name ?? index ?? String(JSON.parse(quoted ?? '""')));
  }
  return parts.length === 0 ? undefined : parts;
}
