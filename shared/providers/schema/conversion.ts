import { Fault } from '../../kernel/errors.ts';
import { excerpt, isRecord, type MutableSchema, own, type Schema, step } from '../json.ts';
import { encodeName } from '../names.ts';
import type { WarningKind } from '../types.ts';
import type { Dialect } from './dialect.ts';

export interface SchemaWarning {
  readonly path: string;
  readonly message: string;
  readonly kind: WarningKind;
}

/** A location in the schema, linked to its parents; written out as a pointer only for warnings. */
export interface SchemaLocation {
  readonly above?: SchemaLocation;
  readonly keyword: string;
  readonly key?: string | number | undefined;
  readonly depth: number;
  /** The references followed on the way here. */
  readonly refs: readonly string[];
  /** Whether it is inside a property that is not required. */
  readonly optional: boolean;
}

/** State of converting one schema to one provider dialect. */
export interface Conversion {
  readonly root: Schema;
  readonly dialect: Pick<Dialect, 'label' | 'keys'>;
  readonly warnings: SchemaWarning[];
  /** Definitions that the output refers to, by the reference in the input. */
  readonly definitions: Map<string, { readonly name: string; schema?: Schema }>;
  /** How many schemas were visited, including tentative visits. */
  readonly count: { nodes: number };
}

/** The state of converting to a restricted dialect. */
export interface DialectConversion extends Conversion {
  readonly dialect: Dialect;
  readonly adapt: (input: unknown, place: SchemaLocation) => MutableSchema;
}

/** Deeper than any real schema; registration allows 16 levels. */
const DEEPEST = 64;
/** Inlined references can grow without end: beyond this many nodes they are cut. */
export const MAX_NODES = 4000;

const MAX_WARNINGS = 100;

export const ROOT: SchemaLocation = { keyword: '', depth: 0, refs: [], optional: false };

export const startConversion = (root: Schema, dialect: Conversion['dialect']): Conversion => ({
  root,
  dialect,
  warnings: [],
  definitions: new Map(),
  count: { nodes: 0 },
});

/** A step down; refused when the schema is nested too deep. */
export function into(above: SchemaLocation, keyword: string, key?: string | number, optional = false): SchemaLocation {
  if (above.depth >= DEEPEST) {
    throw new Fault(
      'InvalidInput',
      `the schema is nested deeper than ${DEEPEST} levels at ${excerpt(writePointer(above), 100)}`,
    );
  }
  const { depth, refs } = above;
  return { above, keyword, key, depth: depth + 1, refs, optional: above.optional || optional };
}

const writePointer = ({ above, keyword, key }: SchemaLocation): string =>
  above ? writePointer(above) + step(keyword) + (key === undefined ? '' : step(key)) : keyword;

export function warn(run: Conversion, place: SchemaLocation, message: string, kind: WarningKind = 'loosened'): void {
  if (run.warnings.length === MAX_WARNINGS) return;
  const path = writePointer(place);
  if (!run.warnings.some((known) => known.path === path && known.message === message)) {
    run.warnings.push({ path, message, kind });
  }
}

/** The tool cannot be expressed in this form: the caller falls back or leaves it out. */
export function unfit(place: SchemaLocation, reason: string): never {
  throw new Fault('InvalidInput', `${excerpt(writePointer(place) || '/', 100)}: ${reason}`);
}

/** The name of a property in the output; a changed name causes a warning. */
export function outputKey(run: Conversion, place: SchemaLocation, key: string): string {
  const { keys } = run.dialect;
  if (!keys) return key;
  const name = encodeName(key, keys);
  if (name !== key) warn(run, place, `${JSON.stringify(key)} is sent as ${name} and mapped back in calls`, 'renamed');
  return name;
}

/** What a reference within the document points to; undefined when it points outside or nowhere. */
export function resolve(root: Schema, reference: string): unknown {
  const local = localPart(root, reference);
  if (local === undefined) return undefined;
  if (local === '') return root;
  if (!local.startsWith('/')) return findAnchor(root, local, 0);
  let target: unknown = root;
  for (const part of local.slice(1).split('/')) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(target)) target = target[Number(key)];
    else target = isRecord(target) ? own(target, key) : undefined;
  }
  return isRecord(target) || typeof target === 'boolean' ? target : undefined;
}

function localPart(root: Schema, reference: string): string | undefined {
  const [document, fragment = ''] = reference.split('#', 2);
  if (document !== '' && document !== root.$id) return undefined;
  try {
    return decodeURIComponent(fragment);
  } catch {
    return undefined;
  }
}

function findAnchor(node: unknown, anchor: string, depth: number): unknown {
  if (depth > DEEPEST || typeof node !== 'object' || node === null) return undefined;
  if (isRecord(node) && (node.$anchor === anchor || node.$dynamicAnchor === anchor)) return node;
  for (const child of Object.values(node)) {
    const found = findAnchor(child, anchor, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}
