import { Fault } from '../kernel/errors.ts';
import { activeRunKey, NODE_PREFIX, planKey, runKey, runPk } from '../kernel/item-keys.ts';
import type { Item } from '../kernel/ports.ts';
import { Plan, PlanTree } from '../model/plan.ts';
import { type NodeResult, Predicted, RunBody } from '../model/run.ts';
import { type NodeRows, rowsByNode } from './record.ts';
import type { RunDeps, SavedPlan } from './run-deps.ts';

type Store = Pick<RunDeps, 'table' | 'blobs'>;

/** What a table item may hold; larger bodies lie among the blobs. */
const MAX_ITEM_TEXT = 100_000;

/** Keeps a plan under its id. Saving the same plan again only refreshes how it will run. */
export async function savePlan(store: Store, tenant: string, saved: SavedPlan): Promise<void> {
  const body = await pack(store, `plans/${tenant}/${saved.plan.plan_id}.json`, saved);
  await store.table.write([{ put: planKey(tenant, saved.plan.plan_id), body: { v: 1, ...body } }]);
}

/** The plan with this id; undefined when there is none. */
export async function loadPlan(store: Store, tenant: string, id: string): Promise<SavedPlan | undefined> {
  const item = await store.table.get(planKey(tenant, id));
  if (item === undefined) return undefined;
  const { v: _, ...body } = item.body;
  const { plan, tree, predicted } = (await unpack(store, body as NodeResult)) as SavedPlan;
  return { plan: Plan.parse(plan), tree: PlanTree.parse(tree), predicted: Predicted.parse(predicted) };
}

/** Loads plans through a memory of the latest ones. */
export function cachePlans(store: Store, kept = 200): RunDeps['plan'] {
  const plans = new Map<string, SavedPlan>();
  return async (tenant, id) => {
    const key = `${tenant}/${id}`;
    const found = plans.get(key) ?? (await loadPlan(store, tenant, id));
    if (found === undefined) return undefined;
    plans.delete(key);
    plans.set(key, found);
    if (plans.size > kept) plans.delete(plans.keys().next().value ?? key);
    return found;
  };
}

/** A value as it is stored: itself, or by reference when it is larger than allowed. */
export async function pack(store: Store, key: string, value: unknown, limit = MAX_ITEM_TEXT): Promise<NodeResult> {
  const text = JSON.stringify(value) ?? 'null';
  const bytes = Buffer.byteLength(text);
  if (bytes <= limit) return { value: JSON.parse(text) };
  await store.blobs.put(key, Buffer.from(text), 'application/json');
  return { ref: key, bytes };
}

export async function unpack(store: Store, packed: NodeResult | { readonly ref: string }): Promise<unknown> {
  if (!('ref' in packed)) return packed.value;
  const bytes = await store.blobs.get(packed.ref);
  if (bytes === undefined) throw new Fault('NotFound', `the stored result ${packed.ref} is gone; run the plan again`);
  return JSON.parse(Buffer.from(bytes).toString('utf8'));
}

export async function loadRun({ table }: Store, tenant: string, id: string): Promise<RunBody | undefined> {
  const item = await table.get(runKey(tenant, id));
  return item === undefined ? undefined : RunBody.parse(item.body);
}

/** Changes a run by a rule; refuses one that does not exist. */
export async function changeRun(
  { table }: Store,
  tenant: string,
  id: string,
  rule: (run: RunBody) => RunBody,
): Promise<RunBody> {
  return table.change([runKey(tenant, id)], ([item]) => {
    if (item === undefined) throw noRun(id);
    const before = RunBody.parse(item.body);
    const after = rule(before);
    const ended = after.status === 'running' ? [] : [{ remove: activeRunKey(tenant, id) }];
    const writes = after === before ? [] : [{ put: item.key, body: after }, ...ended];
    return { writes, result: after };
  });
}

export const noRun = (id: string): Fault => new Fault('NotFound', `there is no run ${id}`, { run_id: id });

/** The stored attempts and questions of a run, or of one of its nodes. */
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
