import type { Plan } from '../model/plan.ts';

/** The plan's DAG in Graphviz's language: data edges solid, order-only edges dashed. */
export function toDot(plan: Plan): string {
  const nodes = plan.nodes.map(({ id, tool, on_failure: { policy }, confirm }) => {
    const notes = [policy === 'stop' ? [] : [policy], confirm ? ['asks first'] : []].flat();
    const label = [id, tool, ...(notes.length === 0 ? [] : [notes.join(', ')])].map(escapeLabel).join('\\n');
    return `  ${quote(id)} [label="${label}"];`;
  });
  const edges = plan.edges.map(
    ({ from, to, kind }) => `  ${quote(from)} -> ${quote(to)}${kind === 'order' ? ' [style=dashed]' : ''};`,
  );
  return [
    `digraph ${quote(plan.name ?? 'plan')} {`,
    '  rankdir=LR;',
    '  node [shape=box, style=rounded, fontname="Helvetica"];',
    ...nodes,
    ...edges,
    '}',
    '',
  ].join('\n');
}

const escapeLabel = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('"', '\\"');
const quote = (text: string): string => `"${escapeLabel(text)}"`;
