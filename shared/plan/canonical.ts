import { at, buildGraph, type DependencyGraph } from './order.ts';

/** For each vertex, the vertices it is related to. */
export type Relation = readonly (readonly number[])[];

/**
 * Ranks vertices by label and neighbourhood alone, so that equal shapes rank alike whatever their names and order. It
 * uses colour refinement; a remaining tie is broken by singling one vertex out, which is arbitrary only among vertices
 * that refinement cannot tell apart.
 */
export function rankVertices(labels: readonly string[], relations: readonly Relation[]): readonly number[] {
  const sorted = [...new Set(labels)].sort();
  const first = new Map(sorted.map((label, index) => [label, index]));
  let colours = refine(spread(labels.map((label) => first.get(label) ?? 0)), relations);
  for (;;) {
    const tied = firstTie(colours, relations);
    if (tied === undefined) return breakTies(colours);
    const others = tied.slice(1);
    colours = colours.map((colour, vertex) => (others.includes(vertex) ? colour + 1 : colour));
    colours = refine(colours, relations);
  }
}

/** The same graph with its nodes in an order that depends neither on their names nor on how they were listed. */
export function canonicalGraph(
  graph: DependencyGraph,
  labels: readonly string[],
): { graph: DependencyGraph; order: readonly number[] } {
  const depth: number[] = [];
  graph.before.forEach((list, node) => {
    depth[node] = Math.max(0, ...list.map((one) => at(depth, one) + 1));
  });
  const ranks = rankVertices(
    labels.map((label, node) => `${String(depth[node]).padStart(4, '0')} ${label}`),
    [graph.before, graph.after],
  );
  const order = graph.ids.map((_, node) => node).sort((a, b) => at(ranks, a) - at(ranks, b));
  const place = new Map(order.map((old, position) => [old, position]));
  const before = order.map((old) => at(graph.before, old).map((one) => place.get(one) ?? 0));
  return {
    graph: buildGraph(
      order.map((old) => at(graph.ids, old)),
      before,
    ),
    order,
  };
}

/** Splits classes by the colours around their vertices until nothing changes. */
function refine(start: readonly number[], relations: readonly Relation[]): number[] {
  let colours = [...start];
  for (;;) {
    const signatures = colours.map((_, vertex) => signature(vertex, colours, relations));
    const order = colours.map((_, vertex) => vertex).sort((a, b) => compare(a, b, colours, signatures));
    const next: number[] = [...colours];
    order.forEach((vertex, index) => {
      const previous = order[index - 1];
      const same = previous !== undefined && compare(previous, vertex, colours, signatures) === 0;
      next[vertex] = same ? at(next, previous) : index;
    });
    if (next.every((colour, vertex) => colour === colours[vertex])) return next;
    colours = next;
  }
}

function signature(vertex: number, colours: readonly number[], relations: readonly Relation[]): string {
  let text = '';
  for (const relation of relations) {
    const around = at(relation, vertex).map((one) => at(colours, one));
    text += `${String.fromCharCode(...around.sort((a, b) => a - b))}\uffff`;
  }
  return text;
}

function compare(a: number, b: number, colours: readonly number[], signatures: readonly string[]): number {
  const difference = at(colours, a) - at(colours, b);
  if (difference !== 0) return difference;
  const [one, other] = [at(signatures, a), at(signatures, b)];
  return one < other ? -1 : one > other ? 1 : 0;
}

/** Replaces colours by the index at which their class begins, leaving room to single a vertex out. */
function spread(colours: readonly number[]): number[] {
  const sorted = [...colours].sort((a, b) => a - b);
  return colours.map((colour) => sorted.indexOf(colour));
}

/** The first class of several vertices that are not obviously interchangeable. */
function firstTie(colours: readonly number[], relations: readonly Relation[]): readonly number[] | undefined {
  const classes = Map.groupBy(
    colours.map((_, vertex) => vertex),
    (vertex) => at(colours, vertex),
  );
  const keys = [...classes.keys()].sort((a, b) => a - b);
  return keys.map((key) => classes.get(key) ?? []).find((list) => list.length > 1 && !areTwins(list, relations));
}

function areTwins(vertices: readonly number[], relations: readonly Relation[]): boolean {
  const [first = 0, ...others] = vertices;
  return others.every((other) =>
    relations.every((relation) => {
      const [one, two] = [at(relation, first), at(relation, other)];
      return one.length === two.length && one.every((vertex) => two.includes(vertex));
    }),
  );
}

function breakTies(colours: readonly number[]): readonly number[] {
  const order = colours.map((_, vertex) => vertex).sort((a, b) => at(colours, a) - at(colours, b) || a - b);
  const ranks: number[] = [];
  order.forEach((vertex, rank) => {
    ranks[vertex] = rank;
  });
  return ranks;
}
