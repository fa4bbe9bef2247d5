import { isRecord, type MutableSchema, own, type Schema } from '../json.ts';
import { type DialectConversion, resolve, type SchemaLocation, unfit } from './conversion.ts';
import { keywords } from './keywords.ts';

/** The schema as a reference to a definition of the output; undefined when the target must be inlined. */
export function keepReference(
  input: unknown,
  place: SchemaLocation,
  run: DialectConversion,
): MutableSchema | undefined {
  const { refs, recursion } = run.dialect;
  if (refs !== 'keep' || !isRecord(input)) return undefined;
  const reference = own(input, '$ref');
  const target = typeof reference === 'string' ? resolve(run.root, reference) : undefined;
  if (typeof reference !== 'string' || !isRecord(target)) return undefined;
  const definition = run.definitions.get(reference);
  // No keyword may stand beside $ref: such keywords are merged with the definition, unless that would recurse forever.
  const isAlone = Object.keys(input).every((key) => key === '$ref' || !keywords.has(key));
  if (!isAlone && !place.refs.includes(reference)) return undefined;
  const holdsItself = (definition && !definition.schema) || reference === '#';
  if (holdsItself && recursion === 'no') return unfit(place, `${reference} holds itself`);
  if (holdsItself && recursion === 'optional' && !place.optional) return undefined;
  const link: MutableSchema = { $ref: `#/$defs/${chooseName(reference, target, run)}` };
  return typeof input.description === 'string' ? { description: input.description, anyOf: [link] } : link;
}

function chooseName(reference: string, target: Schema, run: DialectConversion): string {
  const known = run.definitions.get(reference);
  if (known) return known.name;
  const definition: { readonly name: string; schema?: Schema } = { name: freeName(reference, run) };
  run.definitions.set(reference, definition);
  const keyword = reference.slice(reference.indexOf('#') + 1);
  definition.schema = run.adapt(target, { keyword, depth: 1, refs: [reference], optional: false });
  return definition.name;
}

function freeName(reference: string, run: DialectConversion): string {
  const wanted = (reference.split('/').at(-1) ?? '')
    .replace(/[^A-Za-z0-9_]/g, '_')
    .slice(0, 40)
    .replace(/^_+$/, 'root');
  const taken = new Set([...run.definitions.values()].map(({ name }) => name));
  let name = wanted;
  for (let count = 2; taken.has(name); count += 1) name = `${wanted}_${count}`;
  return name;
}
