import type { Plan } from '../../model/plan.ts';
import { at } from '../order.ts';
import { layOut, type Spot } from './layers.ts';
import { CARD, card, curve, type SvgPoint } from './svg.ts';

/** A panel of the picture, drawn from the origin. */
export interface DagPanel {
  readonly width: number;
  readonly height: number;
  readonly body: string;
}

const COLUMN = CARD.width + 64;
const ROW = CARD.height + 18;

/** The plan as given: nodes in layers, data edges solid, order-only edges dashed. */
export function drawDag(plan: Plan): DagPanel {
  const { spots, layers, routes } = layOut(plan.nodes);
  const byId = new Map(plan.nodes.map((node) => [node.id, node]));
  const kinds = new Map(plan.edges.map(({ from, to, kind }) => [`${from} ${to}`, kind]));
  const edges = routes.map((route) => {
    const stops = route.map((spot) => at(spots, spot));
    const kind = kinds.get(`${stops[0]?.id} ${stops.at(-1)?.id}`);
    return curve(stops.flatMap(passing), `class="edge ${kind ?? 'order'}" marker-end="url(#arrow)"`);
  });
  const cards = spots.flatMap((spot) => {
    const node = spot.id === undefined ? undefined : byId.get(spot.id);
    return node === undefined ? [] : [card(node, corner(spot))];
  });
  const rows = Math.max(...spots.map(({ row }) => row)) + 1;
  return {
    width: layers.length * COLUMN - (COLUMN - CARD.width),
    height: rows * ROW - (ROW - CARD.height),
    body: [...edges, ...cards].join('\n'),
  };
}

const corner = ({ layer, row }: Spot): SvgPoint => ({ x: layer * COLUMN, y: row * ROW });

/** The points where an edge touches a spot: a side of a card, or a straight line past a bend. */
function passing(spot: Spot, index: number, all: readonly Spot[]): readonly SvgPoint[] {
  const { x, y } = corner(spot);
  const middle = y + CARD.height / 2;
  if (index === 0) return [{ x: x + CARD.width, y: middle }];
  if (index === all.length - 1) return [{ x: x - 3, y: middle }];
  return [
    { x, y: middle },
    { x: x + CARD.width, y: middle },
  ];
}
