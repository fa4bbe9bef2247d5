import type { PlanTree } from '../model/plan.ts';
import type { Arranged, NumberedNode } from './arrange.ts';
import { maySkip } from './node-states.ts';
import { at } from './order.ts';

/** Parts that run one after another in one scope: the machine or a branch. */
export interface Sequence {
  /** Unique in the machine; and the number of scopes around it. */
  readonly index: number;
  readonly depth: number;
  readonly parts: readonly SequencePart[];
}

export type SequencePart = NodePart | ParallelPart;

export interface NodePart extends NumberedNode {
  readonly kind: 'node';
  /** Dependencies whose missing result skips the node. */
  readonly guards: readonly number[];
  /** Nothing depends on it, so its output is part of the run's. */
  readonly isLast: boolean;
  /** The numbers of the nodes that take its output. */
  readonly takers: readonly number[];
}

export interface ParallelPart {
  readonly kind: 'parallel';
  readonly index: number;
  readonly branches: readonly Sequence[];
}

/** The tree as nested sequences, with the dependencies of each node's states. */
export function buildSequence({ tree, nodes }: Arranged): Sequence {
  const parts = groupParts(nodes);
  let scopes = 0;
  let parallels = 0;
  const sequence = (one: PlanTree, depth: number): Sequence => {
    const index = scopes++;
    const steps = one.kind === 'series' ? one.children : [one];
    return { index, depth, parts: steps.map((step) => part(step, depth)) };
  };
  const part = (one: PlanTree, depth: number): SequencePart => {
    if (one.kind === 'node')
      return at(
        parts,
        nodes.findIndex(({ node }) => node.id === one.id),
      );
    return { kind: 'parallel', index: ++parallels, branches: one.children.map((child) => sequence(child, depth + 1)) };
  };
  return sequence(tree, 0);
}

/** Every node inside a part, in the order of their numbers. */
export const nodesIn = (part: SequencePart): readonly NodePart[] =>
  part.kind === 'node' ? [part] : part.branches.flatMap((branch) => branch.parts.flatMap(nodesIn));

/** The nodes whose whole record is needed after a sequence; the status is enough for the others. */
export function neededAfter(sequence: Sequence): readonly NodePart[] {
  const inside = sequence.parts.flatMap(nodesIn);
  const numbers = new Set(inside.map(({ number }) => number));
  return inside.filter(({ isLast, takers }) => isLast || takers.some((taker) => !numbers.has(taker)));
}

function groupParts(nodes: readonly NumberedNode[]): readonly NodePart[] {
  const guards = findGuards(nodes);
  return nodes.map((one) => ({
    ...one,
    kind: 'node',
    guards: at(guards, one.number - 1),
    isLast: nodes.every(({ takes, follows }) => ![...takes, ...follows].includes(one.number)),
    takers: nodes.filter(({ takes }) => takes.includes(one.number)).map(({ number }) => number),
  }));
}

function findGuards(nodes: readonly NumberedNode[]): readonly (readonly number[])[] {
  const guards: (readonly number[])[] = [];
  // Numbers go from left to right through the tree, so dependencies come first.
  for (const one of nodes) {
    const missing = [...one.takes, ...one.follows].filter((number) => {
      const other = at(nodes, number - 1);
      const mayMiss = maySkip(other.node) || at(guards, number - 1).length > 0;
      return mayMiss && other.node.on_failure.downstream === 'skip';
    });
    guards.push(missing.sort((a, b) => a - b));
  }
  return guards;
}
