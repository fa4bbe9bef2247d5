import { effectivePermission } from '../access/permission.ts';
import { requireScope } from '../access/scopes.ts';
import { visibleTools } from '../access/visible-tools.ts';
import type { ExecuteContext } from '../execute/execute.ts';
import { grantProblem } from '../execute/grants.ts';
import { valueAtQuantile } from '../insight/histogram.ts';
import { readAllStats } from '../insight/read-stats.ts';
import { Fault } from '../kernel/errors.ts';
import type { Blobs } from '../kernel/ports.ts';
import type { Actor } from '../model/key.ts';
import { findHandler } from '../registry/layer.ts';
import { resolveVersion } from '../registry/versions.ts';
import { type BuiltPlan, buildPlan, type LookUpTool } from './build.ts';
import { compilePlan } from './compile.ts';
import type { SavedPlan } from './run-deps.ts';
import { savePlan } from './run-store.ts';
import { type PlanMachine, toAsl } from './to-asl.ts';

export interface PlanContext extends Pick<ExecuteContext, 'table' | 'clock' | 'catalogs' | 'handlers'> {
  readonly blobs?: Blobs;
}

export interface MadePlan extends SavedPlan {
  readonly machine: PlanMachine;
}

/** Checks, compiles and saves a plan; a plan with a dangerous tool needs a grant of that tool. */
export const makePlan = async (context: PlanContext, actor: Actor, input: unknown): Promise<MadePlan> => {
  requireScope(actor, 'invoke');
  const built = buildPlan(input, await readTools(context, actor));
  await requireGrants(context, actor, built);
  const made = compileBuilt(built);
  await savePlan({ table: context.table, blobs: requireBlobs(context) }, actor.tenant, made);
  return made;
};

const requireGrants = async (context: PlanContext, actor: Actor, { needs }: BuiltPlan): Promise<void> => {
  const { catalog } = await context.catalogs.of(actor.tenant);
  for (const { tool, version, permission, nodes } of needs) {
    const family = catalog.get(tool)?.family;
    const record = permission === 'dangerous' && family ? resolveVersion(family, version) : undefined;
    const why = record && (await grantProblem(context, actor, record));
    if (why !== undefined)
      throw new Fault(
        'Forbidden',
        `node ${nodes[0]} needs the dangerous tool ${tool}, and ${why}; ask an admin for a grant`,
        {
          tool,
          nodes,
        },
      );
  }
};

/** Compiles a checked plan to a tree and a state machine. */
const compileBuilt = ({ plan, durations }: BuiltPlan): MadePlan => {
  const { tree, ...predicted } = compilePlan(plan, { durations });
  return { plan, tree, predicted, machine: toAsl(plan, tree, { makespan_ms: predicted.makespan_ms }) };
};

/** Looks up the caller's tools, with their measured median durations. */
const readTools = async (context: PlanContext, actor: Actor): Promise<LookUpTool> => {
  const { catalog } = await context.catalogs.of(actor.tenant);
  const stats = await readAllStats(context.table, actor.tenant);
  const medians = new Map(stats.map((one) => [`${one.tool}#${one.version}`, valueAtQuantile(one.histogram, 0.5)]));
  return (name, version) => {
    const entry = visibleTools(actor).has(name) ? catalog.find(name) : undefined;
    if (!entry) return undefined;
    const record = version === undefined ? entry.record : resolveVersion(entry.family, version);
    if (!record) return undefined;
    const median = medians.get(`${name}#${record.version}`);
    return {
      spec: record.spec,
      enabled: entry.family.enabled,
      permission: effectivePermission(findHandler(context.handlers(), record.spec), record.spec),
      median_ms: median === undefined ? undefined : Math.max(1, median / 1000),
    };
  };
};

export const requireBlobs = ({ blobs }: { readonly blobs?: Blobs }): Blobs => {
  if (blobs) return blobs;
  throw new Fault('Unavailable', 'plans need a store for their results, and this process has none');
};
