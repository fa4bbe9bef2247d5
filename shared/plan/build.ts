import { effectivePermission, strictest } from '../access/permission.ts';
import { digestOf } from '../kernel/canonical-json.ts';
import { Fault } from '../kernel/errors.ts';
import type { JsonSchema } from '../kernel/json.ts';
import { validatorFor } from '../kernel/json-schema.ts';
import { MAX_NODES } from '../kernel/limits.ts';
import type { Validator } from '../kernel/validator.ts';
import { UNVERSIONED } from '../kernel/version-order.ts';
import { isTimeout, withinTime } from '../kernel/within-time.ts';
import { invalidInput } from '../kernel/zod-fault.ts';
import { type Plan, type PlanEdge, PlanInput, type PlanNode, type PlanNodeInput } from '../model/plan.ts';
import type { Permission, Tool } from '../model/tool.ts';
import { checkArguments, outputSchemaOf, type ValidatorOf } from './check-arguments.ts';
import { orderNodes } from './order.ts';
import { type Reference, RUN_INPUT, readReference, referencesIn } from './reference.ts';
import { stepInto, toView, typesOf } from './schema-view.ts';
import { placesFromUpstream } from './upstream-values.ts';

/** A tool as the plan needs it. */
export interface FoundTool {
  readonly spec: Tool;
  readonly enabled?: boolean;
  /** The effective permission: the stricter of the definition's and its handler's. */
  readonly permission?: Permission;
  /** The measured median, for the compiler. */
  readonly median_ms?: number;
}

export type LookUpTool = (name: string, version?: string) => FoundTool | undefined;

/** A tool of the plan that must be consented to or granted. */
export interface PermissionNeed {
  readonly tool: string;
  readonly version: string;
  readonly permission: 'confirm' | 'dangerous';
  readonly nodes: readonly string[];
}

export interface BuiltPlan {
  readonly plan: Plan;
  /** Tools that ask or must be granted; the caller checks the grants. */
  readonly needs: readonly PermissionNeed[];
  /** Expected milliseconds by node, as far as they were measured. */
  readonly durations: Readonly<Record<string, number>>;
}

const DEFAULT_TIMEOUT_SECONDS = 60;
/** Added to a tool's timeout, which starts with its work: a node also waits in the queue and for a process to start. */
const TURN_SECONDS = 30;

interface Resolved {
  readonly input: PlanNodeInput;
  readonly tool: FoundTool;
  readonly references: readonly Reference[];
}

/** Checks a plan against its tools and derives its edges; refuses, by name, what cannot run. */
export function buildPlan(input: unknown, lookup: LookUpTool): BuiltPlan {
  const parsed = parse(input);
  const nodes = parsed.nodes.map((node) => resolveNode(node, lookup));
  const byId = new Map(nodes.map((node) => [node.input.id, node]));
  for (const node of nodes) checkSources(node, byId);
  orderNodes(nodes.map((node) => ({ id: node.input.id, after: dependenciesOf(node) })));
  const validatorOf = keepValidators();
  const outputOf = ({ source }: Reference): JsonSchema | undefined => {
    const other = byId.get(source);
    return other === undefined ? parsed.input_schema : outputSchemaOf(other.tool.spec);
  };
  // Compiled here, because compiling must not be interrupted by the time limit.
  for (const { tool, references } of nodes) if (references.length === 0) validatorOf(tool.spec);
  inTime(() => {
    for (const node of nodes) checkArguments(node.input, node.tool.spec, outputOf, validatorOf);
  });
  const outside = placesFromUpstream(nodes);
  const body = {
    v: 1 as const,
    name: parsed.name,
    input_schema: parsed.input_schema,
    nodes: nodes.map((node) => settle(node, outside.get(node.input.id) ?? [])),
    edges: nodes.flatMap(collectEdges),
    permission: strictest(nodes.map(({ tool }) => effectivePermission(tool, tool.spec))),
  };
  return { plan: { plan_id: digestOf(body), ...body }, needs: needsOf(nodes), durations: estimateDurations(nodes) };
}

const MAX_CHECK_MS = 200;

/** Checking values against nested alternatives may take exponential time. */
function inTime(check: () => void): void {
  try {
    withinTime(check, MAX_CHECK_MS);
  } catch (thrown) {
    if (!isTimeout(thrown)) throw thrown;
    throw new Fault(
      'InvalidInput',
      `the arguments of the plan cannot be checked within ${MAX_CHECK_MS} ms; send fewer or smaller ones, or simplify the schemas of its tools`,
      { field: 'nodes', limit_ms: MAX_CHECK_MS },
    );
  }
}

/** Compiles each schema once, by its text: a lookup may return copies. */
function keepValidators(): ValidatorOf {
  const kept = new Map<string, Validator>();
  return ({ parameters }) => {
    const key = JSON.stringify(parameters);
    const validator = kept.get(key) ?? validatorFor(parameters);
    kept.set(key, validator);
    return validator;
  };
}

function parse(input: unknown): PlanInput {
  const count = (input as { nodes?: { length?: unknown } } | null)?.nodes?.length;
  // Checked first: the schema's error would list each of a million nodes.
  if (typeof count === 'number' && count > MAX_NODES) orderNodes(Array.from({ length: count }, () => ({ id: '' })));
  const parsed = PlanInput.safeParse(input);
  if (!parsed.success) throw invalidInput(parsed.error, input, 'the plan');
  return parsed.data;
}

function resolveNode(input: PlanNodeInput, lookup: LookUpTool): Resolved {
  const tool = lookup(input.tool, input.version);
  const name = input.version === undefined ? input.tool : `${input.tool}@${input.version}`;
  const details = { node: input.id, tool: input.tool };
  if (tool === undefined) {
    throw new Fault('InvalidInput', `node ${input.id} uses ${name}, which is not a known tool`, details);
  }
  if (tool.enabled === false) {
    throw new Fault('InvalidInput', `node ${input.id} uses ${name}, which is disabled; enable it first`, details);
  }
  return { input, tool, references: referencesIn(input.arguments, input.id) };
}

function checkSources({ input, references }: Resolved, byId: ReadonlyMap<string, Resolved>): void {
  for (const { source, text, place } of references) {
    if (source === RUN_INPUT || (byId.has(source) && source !== input.id)) continue;
    const reason = source === input.id ? 'the node itself, which has no output yet' : `${source}, which is not a node`;
    throw new Fault('InvalidInput', `argument ${place} of node ${input.id} takes ${text} from ${reason}`, {
      node: input.id,
      argument: place,
    });
  }
}

const sourcesOf = ({ references }: Resolved): ReadonlySet<string> =>
  new Set(references.map(({ source }) => source).filter((source) => source !== RUN_INPUT));

const dependenciesOf = (node: Resolved): readonly string[] => [...new Set([...sourcesOf(node), ...node.input.after])];

function collectEdges(node: Resolved): readonly PlanEdge[] {
  const data = sourcesOf(node);
  return dependenciesOf(node).map((from) => ({ from, to: node.input.id, kind: data.has(from) ? 'data' : 'order' }));
}

function settle(node: Resolved, outside: readonly string[]): PlanNode {
  const { input, tool } = node;
  const permission = effectivePermission(tool, tool.spec);
  const isTold = permission !== 'safe' && outside.length > 0;
  return {
    id: input.id,
    tool: tool.spec.name,
    version: tool.spec.version ?? UNVERSIONED,
    arguments: input.arguments,
    after: [...dependenciesOf(node)],
    on_failure: input.on_failure,
    timeout_seconds: Math.ceil(
      input.timeout_seconds ?? (tool.spec.timeout_seconds ?? DEFAULT_TIMEOUT_SECONDS) + TURN_SECONDS,
    ),
    // Whoever gave the grant did not know what a source would answer.
    confirm: input.confirm || permission === 'confirm' || isTold,
    confirm_timeout_seconds: input.confirm_timeout_seconds,
    drop_null: droppable(input, tool.spec),
    from_upstream: isTold ? [...outside] : undefined,
  };
}

/** Optional parameters that do not accept null and whose whole value is a reference. */
function droppable(input: PlanNodeInput, tool: Tool): string[] {
  const required = Array.isArray(tool.parameters.required) ? tool.parameters.required : [];
  return Object.keys(input.arguments).filter((name) => {
    const value = input.arguments[name];
    if (required.includes(name) || readReference(value, input.id, name) === undefined) return false;
    const found = stepInto(toView(tool.parameters), name);
    return typeof found === 'object' && !typesOf(found).has('null');
  });
}

function needsOf(nodes: readonly Resolved[]): readonly PermissionNeed[] {
  const groups = Map.groupBy(nodes, ({ tool }) => `${tool.spec.name} ${tool.spec.version ?? UNVERSIONED}`);
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    const permission = first === undefined ? 'safe' : effectivePermission(first.tool, first.tool.spec);
    if (first === undefined || permission === 'safe') return [];
    const { name, version = UNVERSIONED } = first.tool.spec;
    return [{ tool: name, version, permission, nodes: group.map(({ input }) => input.id) }];
  });
}

function estimateDurations(nodes: readonly Resolved[]): Readonly<Record<string, number>> {
  return Object.fromEntries(
    nodes.flatMap(({ input, tool }) => (tool.median_ms === undefined ? [] : [[input.id, tool.median_ms]])),
  );
}
