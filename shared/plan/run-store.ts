import * as z from 'zod';
import { Fault } from '../kernel/errors.ts';
import { activeRunKey, NODE_PREFIX, planKey, runKey, runPk } from '../kernel/item-keys.ts';
import { isObject } from '../kernel/json.ts';
import type { Change, Item, Key } from '../kernel/ports.ts';
import { put, read, stored } from '../kernel/stored.ts';
import { Plan, PlanTree } from '../model/plan.ts';
import { type NodeResult, Predicted, type RunBody, RunItem } from '../model/run.ts';
import { type NodeRows, rowsByNode } from './record.ts';
import type { RunDeps, SavedPlan } from './run-deps.ts';

type Store = Pick<RunDeps, 'table' | 'blobs' | 'fence'>;

/** A stored plan: the plan itself, or the key of its blob. */
export const PlanItem = stored({
  what: 'plan',
  schema: z.union([z.strictObject({ value: z.looseObject({}) }), z.strictObject({ ref: z.string(), bytes: z.int() })]),
  cure: 'make the plan again under another name',
});

/** The content of a plan's item or blob. The item has the format version. */
const PackedPlan = stored<SavedPlan>({
  what: PlanItem.what,
  cure: PlanItem.cure,
  version: 0,
  schema: z.object({ plan: Plan, tree: PlanTree, predicted: Predicted }),
});

/** The limit for table items; larger bodies are stored as blobs. */
const MAX_ITEM_TEXT = 100_000;

/** Saves a plan under its id. Saving the same plan again only updates its tree and forecast. */
export async function savePlan(store: Store, tenant: string, saved: SavedPlan): Promise<void> {
  const key = planKey(tenant, saved.plan.plan_id);
  const known = await store.table.get(key);
  // An unreadable item is not overwritten.
  if (known) read(known, PlanItem);
  await store.table.write([put(key, PlanItem, await packPlan(store, tenant, saved))]);
}

const packPlan = async (store: Store, tenant: string, saved: SavedPlan) => {
  const packed = await pack(store, `plans/${tenant}/${saved.plan.plan_id}.json`, saved);
  return 'ref' in packed ? packed : { value: { ...saved } };
};

/** The plan with this id; undefined when there is none. */
export async function loadPlan(store: Store, tenant: string, id: string): Promise<SavedPlan | undefined> {
  const item = await store.table.get(planKey(tenant, id));
  if (item === undefined) return undefined;
  const packed = await unpack(store, read(item, PlanItem));
  return read({ key: item.key, body: isObject(packed) ? packed : {} }, PackedPlan);
}

/** A value as it is stored: inline, or by reference when it is too large. */
export async function pack(store: Store, key: string, value: unknown, limit = MAX_ITEM_TEXT): Promise<NodeResult> {
  const text = JSON.stringify(value) ?? 'null';
  const bytes = Buffer.byteLength(text);
  if (bytes <= limit) return { value: JSON.parse(text) };
  await store.blobs.put(key, Buffer.from(text), 'application/json');
  return { ref: key, bytes };
}

export async function unpack(store: Pick<Store, 'blobs'>, packed: NodeResult): Promise<unknown> {
  return 'ref' in packed ? parseResult(packed.ref, await readResult(store, packed.ref)) : packed.value;
}

/** The stored text of a result. */
export async function readResult({ blobs }: Pick<Store, 'blobs'>, ref: string): Promise<Uint8Array> {
  const bytes = await blobs.get(ref);
  if (bytes === undefined) throw new Fault('NotFound', `the stored result ${ref} is gone; run the plan again`);
  return bytes;
}

export function parseResult(ref: string, { buffer, byteOffset, byteLength }: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(buffer, byteOffset, byteLength).toString('utf8'));
  } catch {
    throw new Fault('Unavailable', `the stored result ${ref} is not JSON; restore it, or run the plan again`, {
      unreadable: ref,
    });
  }
}

export async function loadRun({ table }: Store, tenant: string, id: string): Promise<RunBody | undefined> {
  const item = await table.get(runKey(tenant, id));
  return item && read(item, RunItem);
}

/** Changes items of a run; a process that has lost its lease changes nothing. */
export const changeFenced = <T>(
  { table, fence }: Pick<RunDeps, 'table' | 'fence'>,
  keys: readonly Key[],
  rule: (items: readonly (Item | undefined)[]) => Change<T>,
): Promise<T> => {
  if (fence === undefined) return table.change(keys, rule);
  return table.change([fence.key, ...keys], ([lease, ...items]) => {
    if (!fence.holds(lease))
      throw new Fault('Conflict', 'another process has taken this run over; nothing was changed', { taken_over: true });
    return rule(items);
  });
};

/** Whether a change failed because another process has taken the run over. */
export const isTakenOver = (thrown: unknown): boolean => thrown instanceof Fault && thrown.details.taken_over === true;

/** Changes a run by a rule; refuses one that does not exist. */
export async function changeRun(
  store: Store,
  tenant: string,
  id: string,
  rule: (run: RunBody) => RunBody,
  /** Whether a run that ends is no longer listed for others to take over. */
  isClosed = true,
): Promise<RunBody> {
  return changeFenced(store, [runKey(tenant, id)], ([item]) => {
    if (item === undefined) throw noRun(id);
    const before = read(item, RunItem);
    const after = rule(before);
    const ended = after.status === 'running' || !isClosed ? [] : [{ remove: activeRunKey(tenant, id) }];
    const writes = after === before ? [] : [put(item.key, RunItem, after), ...ended];
    return { writes, result: after };
  });
}

export const noRun = (id: string): Fault => new Fault('NotFound', `there is no run ${id}`, { run_id: id });

/** The stored attempts and approvals of a run, or of one of its nodes. */
export async function loadRows(
  { table }: Store,
  tenant: string,
  id: string,
  node?: string,
): Promise<ReadonlyMap<string, NodeRows>> {
  const prefix = node === undefined ? NODE_PREFIX : `${NODE_PREFIX}${node}#`;
  const items: Item[] = [];
  let after: string | undefined;
  do {
    const page = await table.query(runPk(tenant, id), { prefix, after });
    items.push(...page.items);
    after = page.next;
  } while (after !== undefined);
  return rowsByNode(items);
}
