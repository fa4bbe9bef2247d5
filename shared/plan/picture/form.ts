import type { PlanNode, PlanTree } from '../../model/plan.ts';
import type { DagPanel } from './dag.ts';
import { CARD, card, curve, roundCoordinate } from './svg.ts';

const GAP = 30;
const PAD = 18;
const BETWEEN = 12;

/** The plan as it runs: parts in series from left to right, parallel branches one below another. */
export function drawForm(tree: PlanTree, byId: ReadonlyMap<string, PlanNode>): DagPanel {
  if (tree.kind === 'node') {
    const node = byId.get(tree.id);
    return { ...CARD, body: node === undefined ? '' : card(node, { x: 0, y: 0 }) };
  }
  const children = tree.children.map((child) => drawForm(child, byId));
  return tree.kind === 'series' ? inRow(children) : inColumn(children);
}

function inRow(children: readonly DagPanel[]): DagPanel {
  const height = Math.max(...children.map((child) => child.height));
  const middle = height / 2;
  let x = 0;
  const body = children.map((child, index) => {
    const arrow =
      index === 0
        ? ''
        : curve(
            [
              { x: x - GAP, y: middle },
              { x: x - 3, y: middle },
            ],
            'class="edge data" marker-end="url(#arrow)"',
          );
    const part = `${arrow}${shift(child.body, x, middle - child.height / 2)}`;
    x += child.width + GAP;
    return part;
  });
  return { width: x - GAP, height, body: body.join('\n') };
}

function inColumn(children: readonly DagPanel[]): DagPanel {
  const inner = Math.max(...children.map((child) => child.width));
  const width = inner + 4 * PAD;
  const height = children.reduce((sum, child) => sum + child.height + BETWEEN, 2 * PAD - BETWEEN);
  const middle = height / 2;
  let y = PAD;
  const body = children.map((child) => {
    const [left, centre] = [2 * PAD + (inner - child.width) / 2, y + child.height / 2];
    const lines = [
      curve(
        [
          { x: 0, y: middle },
          { x: 2 * PAD, y: centre },
          { x: left, y: centre },
        ],
        'class="fork"',
      ),
      curve(
        [
          { x: left + child.width, y: centre },
          { x: width - 2 * PAD, y: centre },
          { x: width, y: middle },
        ],
        'class="fork"',
      ),
    ];
    y += child.height + BETWEEN;
    return `${lines.join('')}${shift(child.body, left, centre - child.height / 2)}`;
  });
  const box = `<rect width="${roundCoordinate(width)}" height="${roundCoordinate(height)}" rx="14" class="box"/>`;
  return { width, height, body: [box, ...body].join('\n') };
}

const shift = (body: string, x: number, y: number): string =>
  x === 0 && y === 0 ? body : `<g transform="translate(${roundCoordinate(x)} ${roundCoordinate(y)})">${body}</g>`;
