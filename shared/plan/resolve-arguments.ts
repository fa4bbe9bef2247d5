import { Fault } from '../kernel/errors.ts';
import { isObject } from '../kernel/json.ts';
import type { PlanNode } from '../model/plan.ts';
import type { NodeRecord, RunBody } from '../model/run.ts';
import { fillReferences, type Reference, RUN_INPUT, referencesIn, valueAt } from './reference.ts';
import type { RunDeps } from './run-deps.ts';
import { parseResult, readResult } from './run-store.ts';

type ReadsResults = Pick<RunDeps, 'blobs' | 'readLarge'>;

/** The arguments of a node with the outputs of others filled in; refuses a path that does not exist, by name. */
export async function resolveArguments(
  deps: ReadsResults,
  run: RunBody,
  node: PlanNode,
  results: Readonly<Record<string, NodeRecord>>,
): Promise<Readonly<Record<string, unknown>>> {
  const outputs = await loadOutputs(deps, run, node, results);
  const dropped = new Set<string>();
  const filled = fillReferences(node.arguments, node.id, (reference) => {
    const output = outputs.get(reference.source);
    if (output === undefined) {
      if (node.drop_null.includes(reference.place)) dropped.add(reference.place);
      return null;
    }
    return take(node, reference, output.value);
  }) as Readonly<Record<string, unknown>>;
  return Object.fromEntries(Object.entries(filled).filter(([name]) => !dropped.has(name)));
}

/** The outputs of the nodes that are referred to, without those that have no result. */
async function loadOutputs(
  deps: ReadsResults,
  run: RunBody,
  node: PlanNode,
  results: Readonly<Record<string, NodeRecord>>,
): Promise<ReadonlyMap<string, { readonly value: unknown }>> {
  const outputs = new Map<string, { readonly value: unknown }>();
  const sources = new Set(referencesIn(node.arguments, node.id).map(({ source }) => source));
  for (const source of sources) {
    if (source === RUN_INPUT) {
      outputs.set(source, { value: 'ref' in run.input ? await readLarge(deps, run, run.input.ref) : run.input.value });
      continue;
    }
    const record = results[`n${run.order.indexOf(source) + 1}`];
    if (record === undefined) throw new Fault('InvalidInput', `node ${node.id} was not given the output of ${source}`);
    if (record.s === 'ok')
      outputs.set(source, { value: 'ref' in record ? await readLarge(deps, run, record.ref) : record.v });
  }
  return outputs;
}

const readLarge = async ({ blobs, readLarge }: ReadsResults, { tenant }: RunBody, ref: string): Promise<unknown> =>
  readLarge ? readLarge(tenant, ref) : parseResult(ref, await readResult({ blobs }, ref));

function take(node: PlanNode, reference: Reference, output: unknown): unknown {
  const value = valueAt(output, reference.path);
  // Other nodes take the same value, and a handler may change its arguments.
  if (value !== undefined) return copyOf(value);
  const { place, text } = reference;
  throw new Fault(
    'InvalidInput',
    `argument ${place} of node ${node.id} takes ${text}, which the output does not have`,
    {
      node: node.id,
      argument: place,
    },
  );
}

function copyOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyOf);
  if (!isObject(value)) return value;
  const copy: Record<string, unknown> = {};
  for (const name of Object.keys(value)) copy[name] = copyOf(value[name]);
  return copy;
}
