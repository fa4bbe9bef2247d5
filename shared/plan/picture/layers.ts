import { at, buildGraph, type DependencyGraph, type OrderedNode, orderNodes } from '../order.ts';

/** A node, or a bend where an edge crosses a layer. */
export interface Spot {
  readonly layer: number;
  /** The node's id; undefined for a bend. */
  readonly id: string | undefined;
  /** Vertical position in rows from the top; may lie between rows. */
  row: number;
}

export interface Layered {
  readonly spots: readonly Spot[];
  readonly layers: readonly (readonly number[])[];
  /** Each edge as the spots it passes, from node to node. */
  readonly routes: readonly (readonly number[])[];
}

const SWEEPS = 12;

/** Arranges a DAG in layers from left to right with few crossings: Sugiyama's method with barycentres. */
export function layOut(nodes: readonly OrderedNode[]): Layered {
  const graph = orderNodes(nodes);
  const depth = depths(graph);
  const spots: Spot[] = graph.ids.map((id, node) => ({ id, layer: at(depth, node), row: 0 }));
  const routes = graph.before.flatMap((list, node) => list.map((one) => route(one, node, spots)));
  const layers = groupLayers(spots);
  const links = buildGraph(
    spots.map(() => ''),
    before(spots, routes),
  );
  reorder(layers, links.before, links.after);
  settle(layers, spots, links.before, links.after);
  return { spots, layers, routes };
}

/** The layer of each node: as early as possible, or later where that shortens more edges than it lengthens. */
function depths({ before, after }: DependencyGraph): readonly number[] {
  const depth: number[] = [];
  before.forEach((list, node) => {
    depth[node] = Math.max(0, ...list.map((one) => at(depth, one) + 1));
  });
  for (let node = depth.length - 1; node >= 0; node--) {
    const next = at(after, node).map((one) => at(depth, one));
    if (next.length > 0 && next.length >= at(before, node).length) depth[node] = Math.min(...next) - 1;
  }
  return depth;
}

/** The spots of an edge, with a bend in each layer between its ends. */
function route(from: number, to: number, spots: Spot[]): readonly number[] {
  const bends: number[] = [];
  for (let layer = at(spots, from).layer + 1; layer < at(spots, to).layer; layer++) {
    bends.push(spots.push({ id: undefined, layer, row: 0 }) - 1);
  }
  return [from, ...bends, to];
}

function groupLayers(spots: readonly Spot[]): number[][] {
  const layers: number[][] = [];
  spots.forEach(({ layer }, spot) => {
    layers[layer] ??= [];
    layers[layer]?.push(spot);
  });
  return layers;
}

function before(spots: readonly Spot[], routes: readonly (readonly number[])[]): number[][] {
  const lists: number[][] = spots.map(() => []);
  for (const one of routes) {
    for (const [index, spot] of one.slice(1).entries()) lists[spot]?.push(at(one, index));
  }
  return lists;
}

type Neighbours = readonly (readonly number[])[];

/**
 * Sorts each layer by the positions of its neighbours, back and forth, and keeps the order with the fewest crossings.
 */
function reorder(layers: number[][], left: Neighbours, right: Neighbours): void {
  let best = layers.map((layer) => [...layer]);
  let fewest = crossings(layers, right);
  for (let sweep = 0; sweep < SWEEPS && fewest > 0; sweep++) {
    const forwards = sweep % 2 === 0;
    const place = new Map(layers.flatMap((layer) => layer.map((spot, index) => [spot, index / layer.length] as const)));
    for (const layer of forwards ? layers : layers.toReversed()) {
      const mean = (spot: number): number => middle(at(forwards ? left : right, spot), place) ?? place.get(spot) ?? 0;
      const keys = new Map(layer.map((spot) => [spot, mean(spot)]));
      layer.sort((a, b) => (keys.get(a) ?? 0) - (keys.get(b) ?? 0));
      for (const [index, spot] of layer.entries()) place.set(spot, index / layer.length);
    }
    const count = crossings(layers, right);
    if (count >= fewest) continue;
    fewest = count;
    best = layers.map((layer) => [...layer]);
  }
  layers.splice(0, layers.length, ...best);
}

function middle(neighbours: readonly number[], place: ReadonlyMap<number, number>): number | undefined {
  if (neighbours.length === 0) return undefined;
  return neighbours.reduce((sum, one) => sum + (place.get(one) ?? 0), 0) / neighbours.length;
}

function crossings(layers: readonly (readonly number[])[], right: Neighbours): number {
  let count = 0;
  layers.forEach((layer, index) => {
    const place = new Map((layers[index + 1] ?? []).map((spot, position) => [spot, position]));
    const ends = layer.flatMap((spot) =>
      at(right, spot)
        .map((one) => place.get(one) ?? 0)
        .sort((a, b) => a - b),
    );
    ends.forEach((end, position) => {
      for (const other of ends.slice(position + 1)) if (other < end) count++;
    });
  });
  return count;
}

/** Moves spots towards their neighbours as far as their order and a distance of one row allow. */
function settle(
  layers: readonly (readonly number[])[],
  spots: readonly Spot[],
  left: Neighbours,
  right: Neighbours,
): void {
  const tallest = Math.max(...layers.map((layer) => layer.length));
  for (const layer of layers) {
    layer.forEach((spot, index) => {
      at(spots, spot).row = index + (tallest - layer.length) / 2;
    });
  }
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    for (const layer of sweep % 2 === 0 ? layers : layers.toReversed()) pull(layer, spots, left, right);
  }
  const top = Math.min(...spots.map(({ row }) => row));
  for (const spot of spots) spot.row -= top;
}

function pull(layer: readonly number[], spots: readonly Spot[], left: Neighbours, right: Neighbours): void {
  const wanted = layer.map((spot) => {
    const rows = [...at(left, spot), ...at(right, spot)].map((one) => at(spots, one).row);
    return rows.length === 0 ? at(spots, spot).row : rows.reduce((sum, row) => sum + row, 0) / rows.length;
  });
  const distance = (index: number): number =>
    at(spots, at(layer, index)).id === undefined && at(spots, at(layer, index - 1)).id === undefined ? 0.4 : 1;
  // Groups that would overlap are moved together to their mean preferred position.
  const groups: { offsets: number[]; row: number }[] = [];
  wanted.forEach((row, index) => {
    groups.push({ offsets: [0], row });
    for (let last = groups.length - 1; last > 0; last--) {
      const [above, below] = [at(groups, last - 1), at(groups, last)];
      const first = index - below.offsets.length + 1;
      const height = at(above.offsets, above.offsets.length - 1) + distance(first);
      if (above.row + height <= below.row + 1e-9) break;
      const offsets = [...above.offsets, ...below.offsets.map((offset) => offset + height)];
      const count = [above.offsets.length, below.offsets.length] as const;
      const mean = (above.row * count[0] + (below.row - height) * count[1]) / (count[0] + count[1]);
      groups.splice(last - 1, 2, { offsets, row: mean });
    }
  });
  const rows = groups.flatMap(({ offsets, row }) => offsets.map((offset) => row + offset));
  layer.forEach((spot, index) => {
    at(spots, spot).row = at(rows, index);
  });
}
