import { sha256 } from '../kernel/canonical-json.ts';
import type { Plan, PlanTree } from '../model/plan.ts';
import { arrange, brokenTree } from './arrange.ts';
import type { Machine, State, StateOf, StateScope } from './asl.ts';
import { checkMachine } from './check-machine.ts';
import { inlineBytes } from './inline-bytes.ts';
import { firstState, nodeStates } from './node-states.ts';
import { at } from './order.ts';
import {
  buildSequence,
  neededAfter,
  nodesIn,
  type ParallelPart,
  type Sequence,
  type SequencePart,
} from './sequence.ts';

export interface AslOptions {
  /** The function that runs steps and asks for approval: a name or an ARN. */
  readonly step?: string;
  /** The compiler's forecast; a machine above one minute is a Standard one. */
  readonly makespan_ms?: number;
  /** Whether a node runs on Batch, which Express cannot wait for. */
  readonly batch?: boolean;
}

/** A plan as a state machine that serves all plans of the same shape and policies. */
export interface PlanMachine {
  readonly definition: Machine;
  readonly type: 'STANDARD' | 'EXPRESS';
  /** The hash of definition and type: one machine is created for each. */
  readonly hash: string;
  /** The ids of the nodes behind states n1, n2, ... */
  readonly order: readonly string[];
  /** Results up to this size travel in the execution, larger ones by reference. */
  readonly inline_bytes: number;
}

const EXPRESS_LIMIT_MS = 60_000;

/** Writes the canonical JSONata definition; the step function looks up tools and arguments when it runs. */
export function toAsl(plan: Plan, tree: PlanTree, options: AslOptions = {}): PlanMachine {
  const arranged = arrange(plan, tree);
  const sequence = buildSequence(arranged);
  const scope = writeScope(sequence, new Map(), options.step ?? 'assay-step');
  const definition: Machine = { Comment: 'A plan as a series-parallel tree', QueryLanguage: 'JSONata', ...scope };
  checkMachine(definition);
  const type = typeOf(plan, options);
  return {
    definition,
    type,
    // Plans of equal shape give equal text, so the text can be hashed.
    hash: sha256(JSON.stringify([type, definition])),
    order: arranged.nodes.map(({ node }) => node.id),
    inline_bytes: inlineBytes(sequence),
  };
}

/** Confirmation and Batch need Standard, and so does a run that may outlast a synchronous answer. */
function typeOf(plan: Plan, options: AslOptions): PlanMachine['type'] {
  const waits = plan.nodes.some((node) => node.confirm) || options.batch === true;
  return waits || (options.makespan_ms ?? 0) > EXPRESS_LIMIT_MS ? 'STANDARD' : 'EXPRESS';
}

/** The depth at which a node's record can be read, by the node's number. */
type Known = ReadonlyMap<number, number>;

/** A record's variable. Its name includes the depth, because an inner scope may not assign an outer name again. */
const variable = (depth: number, number: number): string => `r${depth}_${number}`;

/** The parts in series, then a state that returns the records of all nodes inside. */
function writeScope(sequence: Sequence, outer: Known, step: string): StateScope {
  const { depth, index, parts } = sequence;
  const [out, cancelled] = [`o${index}`, `x${index}`];
  const known = new Map(outer);
  const states: [string, State][] = [];
  parts.forEach((part, place) => {
    const following = parts[place + 1];
    const next = following === undefined ? out : stateName(following);
    if (part.kind === 'node') {
      const read = (number: number): string => variable(knownDepth(known, number), number);
      const own = variable(depth, part.number);
      for (const number of part.follows) knownDepth(known, number);
      states.push(...nodeStates(part, { step, read, own, next, cancelled }));
    } else {
      states.push([stateName(part), writeParallel(part, depth, known, step, next)]);
    }
    for (const { number } of nodesIn(part)) known.set(number, depth);
  });
  states.push([out, { Type: 'Succeed', Output: handOut(sequence) }]);
  const catches = states.some(([, state]) => state.Type === 'Task' && state.Catch !== undefined);
  if (catches) states.push([cancelled, { Type: 'Fail', Error: 'RunCancelled', Cause: 'the run was cancelled' }]);
  return { StartAt: stateName(at(parts, 0)), States: Object.fromEntries(states) };
}

function writeParallel(
  part: ParallelPart,
  depth: number,
  known: Known,
  step: string,
  next: string,
): StateOf<'Parallel'> {
  const records = part.branches.flatMap((branch, index) =>
    branch.parts
      .flatMap(nodesIn)
      .map(({ number }): [string, string] => [variable(depth, number), `{% $states.result[${index}].n${number} %}`]),
  );
  return {
    Type: 'Parallel',
    Branches: part.branches.map((branch) => writeScope(branch, known, step)),
    Assign: Object.fromEntries(records),
    Output: {},
    Next: next,
  };
}

function handOut(sequence: Sequence): Record<string, string | { s: string }> {
  const needed = new Set(neededAfter(sequence));
  const records = sequence.parts.flatMap(nodesIn).map((node): [string, string | { s: string }] => {
    const record = `$${variable(sequence.depth, node.number)}`;
    return [`n${node.number}`, needed.has(node) ? `{% ${record} %}` : { s: `{% ${record}.s %}` }];
  });
  return Object.fromEntries(records);
}

const stateName = (part: SequencePart): string => (part.kind === 'node' ? firstState(part) : `p${part.index}`);

function knownDepth(known: Known, number: number): number {
  const depth = known.get(number);
  if (depth === undefined) throw brokenTree();
  return depth;
}
