import { layOut, type Spot } from '../../../shared/plan/picture/layers.ts';
import type { NodeStatus, Plan } from '../answers.ts';
import { Scroll } from '../ui/parts.tsx';
import type { NodesById } from './plan-view.tsx';
import { STATUS_WORDS } from './status.tsx';

const CARD = { width: 148, height: 52 };
const COLUMN = CARD.width + 56;
const ROW = CARD.height + 20;
const EDGE = 3;

interface Props {
  readonly plan: Plan;
  readonly nodes: NodesById;
}

/** The plan in layers from left to right: data edges solid, order edges dashed. */
export const Dag = ({ plan, nodes }: Props) => {
  const { spots, layers, routes } = layOut(plan.nodes);
  const tools = new Map(plan.nodes.map(({ id, tool }) => [id, tool]));
  const kinds = new Map(plan.edges.map(({ from, to, kind }) => [`${from} ${to}`, kind]));
  const width = layers.length * COLUMN - (COLUMN - CARD.width) + 2 * EDGE;
  const height = (Math.max(...spots.map(({ row }) => row)) + 1) * ROW - (ROW - CARD.height) + 2 * EDGE;
  const label = `Picture of the plan: ${plan.nodes.map(({ id, after }) => (after.length === 0 ? id : `${id} after ${after.join(', ')}`)).join('; ')}`;
  return (
    <Scroll label="The plan as a graph">
      <svg
        class="dag"
        width={width}
        height={height}
        viewBox={`${-EDGE} ${-EDGE} ${width} ${height}`}
        role="img"
        aria-label={label}
      >
        {routes.map((route) => {
          const stops = route.flatMap((index) => spots[index] ?? []);
          const kind = kinds.get(`${stops[0]?.id} ${stops.at(-1)?.id}`) ?? 'order';
          return <path key={route.join(' ')} d={drawPath(stops)} class={`dag-edge ${kind}`} />;
        })}
        {spots.map((spot) =>
          spot.id === undefined ? null : (
            <Card key={spot.id} spot={spot} tool={tools.get(spot.id) ?? ''} status={nodes.get(spot.id)?.status} />
          ),
        )}
      </svg>
    </Scroll>
  );
};

interface CardProps {
  readonly spot: Spot;
  readonly tool: string;
  readonly status: NodeStatus | undefined;
}

const Card = ({ spot, tool, status }: CardProps) => (
  <g transform={`translate(${spot.layer * COLUMN} ${spot.row * ROW})`} class={`dag-node ${status ?? 'planned'}`}>
    <rect width={CARD.width} height={CARD.height} rx="9" />
    <text x="14" y="22" class="dag-id">
      {cut(spot.id ?? '', 15)}
    </text>
    <text x="14" y="40" class="dag-tool">
      {cut(status === undefined || status === 'pending' ? tool : STATUS_WORDS[status], 20)}
    </text>
    <circle cx={CARD.width - 16} cy="17" r="5" class="dag-dot" />
  </g>
);

const cut = (text: string, length: number): string => (text.length > length ? `${text.slice(0, length - 1)}…` : text);

/** A smooth path through the points, horizontal where it meets a card. */
const drawPath = (stops: readonly Spot[]): string => {
  const points = stops.flatMap((spot, index) => {
    const x = spot.layer * COLUMN;
    const y = spot.row * ROW + CARD.height / 2;
    if (index === 0) return [[x + CARD.width, y] as const];
    if (index === stops.length - 1) return [[x, y] as const];
    return [[x, y] as const, [x + CARD.width, y] as const];
  });
  return points
    .map(([x, y], index) => {
      const before = points[index - 1];
      if (!before) return `M${x} ${y}`;
      const middle = (before[0] + x) / 2;
      return `C${middle} ${before[1]} ${middle} ${y} ${x} ${y}`;
    })
    .join('');
};
