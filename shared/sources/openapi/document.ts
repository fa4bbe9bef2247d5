import { Fault, messageOf } from '../../kernel/errors.ts';
import { isObject, type JsonObject } from '../../kernel/json.ts';

/** An OpenAPI 3.0, 3.1 or 3.2 document as unchecked data. */
export interface OpenApiDocument {
  readonly root: JsonObject;
  /** Whether its schemas are of OpenAPI 3.0, which differs from JSON Schema. */
  readonly isOld: boolean;
}

/** Reads a document; the fault says what is wrong with it. */
export const readDocument = (text: string): OpenApiDocument => {
  const root = parse(text);
  if (!isObject(root)) throw unusable('it is not a JSON object');
  if (typeof root.swagger === 'string') throw unusable('it is Swagger 2; convert it to OpenAPI 3');
  const version = typeof root.openapi === 'string' ? root.openapi : '';
  if (!/^3\.[0-2]\.\d+/.test(version)) throw unusable(`its field openapi is ${JSON.stringify(root.openapi ?? null)}`);
  if (!isObject(root.paths)) throw unusable('it has no paths');
  return { root, isOld: version.startsWith('3.0.') };
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (error) {
    const isYaml = /^\s*(openapi|swagger|---|#)/.test(text);
    throw unusable(isYaml ? 'it is YAML; give it as JSON' : `it is not JSON (${messageOf(error).slice(0, 120)})`);
  }
};

export const unusable = (reason: string): Fault =>
  new Fault('InvalidInput', `the OpenAPI document cannot be used: ${reason}`);

const MAX_HOPS = 16;

/** A part of the document, or what it refers to: parameters, bodies and paths may be references. */
export const followReference = (document: OpenApiDocument, part: unknown): JsonObject => {
  let current = part;
  for (let hops = 0; hops < MAX_HOPS; hops += 1) {
    if (!isObject(current)) throw new Error('a part of it is not an object');
    if (typeof current.$ref !== 'string') return current;
    current = findPointer(document, current.$ref);
  }
  throw new Error('a reference refers to itself');
};

/** The target of a local reference. */
export const findPointer = ({ root }: OpenApiDocument, reference: string): unknown => {
  if (!reference.startsWith('#')) throw new Error(`it refers to another document, ${cut(reference)}`);
  const found = pointerParts(reference).reduce<unknown>(
    (at, part) =>
      typeof at === 'object' && at !== null && Object.hasOwn(at, part) ? Reflect.get(at, part) : undefined,
    root,
  );
  if (found === undefined) throw new Error(`it refers to ${cut(reference)}, which is not there`);
  return found;
};

export const pointerParts = (reference: string): readonly string[] =>
  reference
    .slice(2)
    .split('/')
    .filter((part) => part !== '')
    .map((part) => decode(part).replaceAll('~1', '/').replaceAll('~0', '~'));

const decode = (part: string): string => {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
};

const cut = (text: string): string => JSON.stringify(text.slice(0, 120));
