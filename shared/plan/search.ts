import { type Cut, findCuts } from './cut.ts';
import { at } from './order.ts';
import { components, type NodeSet, type Poset, stages } from './poset.ts';
import { leaf, parallel, type Scenarios, series, type Tree } from './tree.ts';

/** How many cuts of a part are tried. */
const WIDTH = 32;

/** Nodes visited before the search takes first cuts only: a deterministic substitute for a time limit. */
const BUDGET = 100_000;

interface Search {
  readonly poset: Poset;
  readonly scenarios: Scenarios;
  readonly quick: Map<string, Tree>;
  readonly thorough: Map<string, Tree>;
  spent: number;
}

/**
 * The best series-parallel form found: components in parallel, stages in series, and where neither exists, a cut that
 * adds precedences.
 */
export function search(poset: Poset, part: NodeSet, scenarios: Scenarios): Tree {
  return solve({ poset, scenarios, quick: new Map(), thorough: new Map(), spent: 0 }, part, true);
}

function solve(state: Search, part: NodeSet, thorough: boolean): Tree {
  if (part.length === 1) return leaf(at(part, 0), state.scenarios);
  const known = thorough ? state.thorough : state.quick;
  const key = String.fromCharCode(...part);
  const found = known.get(key) ?? split(state, part, thorough);
  known.set(key, found);
  return found;
}

function split(state: Search, part: NodeSet, thorough: boolean): Tree {
  const groups = components(state.poset, part);
  if (groups.length > 1) return parallel(groups.map((group) => solve(state, group, thorough)));
  const sequence = stages(state.poset, part);
  if (sequence.length > 1) return series(sequence.map((stage) => solve(state, stage, thorough)));
  return thorough ? bestCut(state, part) : firstCut(state, part);
}

function firstCut(state: Search, part: NodeSet): Tree {
  return inTwo(state, at(look(state, part), 0), false);
}

/** Completes each cut with first cuts, keeps the best and searches its two sides. */
function bestCut(state: Search, part: NodeSet): Tree {
  const [first, ...others] = look(state, part);
  if (first === undefined) throw new RangeError('a connected part has a cut');
  let chosen = first;
  let best = inTwo(state, first, false);
  for (const cut of others) {
    if (cut.bound >= best.score || state.spent > BUDGET) break;
    const tree = inTwo(state, cut, false);
    if (tree.score >= best.score) continue;
    best = tree;
    chosen = cut;
  }
  const deeper = inTwo(state, chosen, true);
  return deeper.score < best.score ? deeper : best;
}

function look(state: Search, part: NodeSet): readonly Cut[] {
  state.spent += part.length;
  return findCuts(state.poset, part, state.scenarios, WIDTH);
}

const inTwo = (state: Search, cut: Cut, thorough: boolean): Tree =>
  series([solve(state, cut.first, thorough), solve(state, cut.rest, thorough)]);
