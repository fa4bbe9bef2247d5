import type { Plan, PlanTree } from '../model/plan.ts';
import type { Predicted } from '../model/run.ts';
import { type DagPanel, drawDag } from './picture/dag.ts';
import { drawForm } from './picture/form.ts';
import { askMark, escapeXml, POLICY_COLOURS, roundCoordinate } from './picture/svg.ts';

const MARGIN = 32;
const HEAD = 76;
const TITLE = 40;
const FOOT = 44;

const STYLE = `
text{font-family:ui-sans-serif,system-ui,"Segoe UI",Roboto,"Noto Sans","Noto Sans CJK SC",sans-serif;fill:#0f172a}
.h1{font-size:20px;font-weight:650}.h2{font-size:13px;font-weight:600;fill:#475569}
.sub{font-size:13px;fill:#64748b}.id{font-size:13.5px;font-weight:600}.tool{font-size:11.5px;fill:#64748b}
.note{font-size:10.5px;font-weight:600;text-anchor:end}.ask{font-size:11px;font-weight:700;fill:#fff;text-anchor:middle}
.edge{fill:none;stroke:#64748b;stroke-width:1.5}.order{stroke-dasharray:5 4;stroke:#94a3b8}
.fork{fill:none;stroke:#94a3b8;stroke-width:1.4}.box{fill:#eef2ff;fill-opacity:.55;stroke:#c7d2fe;stroke-dasharray:4 3}
.panel{fill:#f8fafc;stroke:#e2e8f0}`;

/** A picture of the plan's DAG and of the series-parallel form in which it runs. */
export function toSvg(plan: Plan, tree: PlanTree, predicted?: Predicted): string {
  const byId = new Map(plan.nodes.map((node) => [node.id, node]));
  const panels = [
    { title: 'As planned', panel: drawDag(plan) },
    { title: 'As run', panel: drawForm(tree, byId) },
  ];
  const inner = Math.max(420, ...panels.map(({ panel }) => panel.width));
  let y = HEAD;
  const drawn = panels.map(({ title, panel }) => {
    const part = drawPanel(title, panel, inner, y);
    y += panel.height + TITLE + 2 * MARGIN;
    return part;
  });
  const [width, height] = [inner + 4 * MARGIN, y + FOOT - MARGIN / 2].map(Math.ceil);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">
<title>${escapeXml(plan.name ?? 'Plan')}</title>
<style>${STYLE}</style>
<defs><marker id="arrow" viewBox="0 0 8 8" refX="6.5" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0.8L7 4L0 7.2z" fill="#64748b"/></marker></defs>
<rect width="100%" height="100%" fill="#ffffff"/>
<text x="${MARGIN}" y="38" class="h1">${escapeXml(plan.name ?? 'Plan')}</text>
<text x="${MARGIN}" y="60" class="sub">${escapeXml(subtitle(plan, predicted))}</text>
${drawn.join('\n')}
${legend(y - MARGIN / 2 + 12)}
</svg>
`;
}

function drawPanel(title: string, panel: DagPanel, inner: number, y: number): string {
  const height = panel.height + TITLE + MARGIN;
  const left = 2 * MARGIN + (inner - panel.width) / 2;
  return `<g transform="translate(0 ${roundCoordinate(y)})"><rect x="${MARGIN}" y="0" width="${roundCoordinate(inner + 2 * MARGIN)}" height="${roundCoordinate(height)}" rx="12" class="panel"/>
<text x="${MARGIN + 16}" y="26" class="h2">${title}</text>
<g transform="translate(${roundCoordinate(left)} ${TITLE})">${panel.body}</g></g>`;
}

function subtitle(plan: Plan, predicted: Predicted | undefined): string {
  const { nodes, edges, plan_id: id } = plan;
  const counted = `${nodes.length} ${nodes.length === 1 ? 'node' : 'nodes'}, ${edges.length} ${edges.length === 1 ? 'edge' : 'edges'}`;
  const forecast =
    predicted === undefined
      ? ''
      : `, critical path ${show(predicted.critical_path_ms)}, forecast ${show(predicted.makespan_ms)} (× ${predicted.ratio.toFixed(2)})`;
  return `${counted}${forecast}, ${id.slice(0, 12)}`;
}

const show = (milliseconds: number): string =>
  milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : `${(milliseconds / 1000).toFixed(1)} s`;

function legend(y: number): string {
  const items = [
    ...Object.entries(POLICY_COLOURS).map(
      ([policy, colour]) =>
        [`<rect x="0" y="-9" width="5" height="12" rx="2" fill="${colour}"/>`, `on failure ${policy}`] as const,
    ),
    [askMark(4, -4), 'asks first'] as const,
    ['<path d="M-4 -4h18" class="edge data"/>', '  data'] as const,
    ['<path d="M-4 -4h18" class="edge order"/>', '  order'] as const,
  ];
  let x = MARGIN + 6;
  const drawn = items.map(([mark, text]) => {
    const part = `<g transform="translate(${x} ${roundCoordinate(y)})">${mark}<text x="${text.startsWith(' ') ? 20 : 16}" y="0" class="sub">${text.trim()}</text></g>`;
    x += 40 + text.length * 6.6;
    return part;
  });
  return drawn.join('\n');
}
