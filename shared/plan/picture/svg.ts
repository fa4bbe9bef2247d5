import type { PlanNode } from '../../model/plan.ts';

export interface SvgPoint {
  readonly x: number;
  readonly y: number;
}

export const CARD = { width: 156, height: 50 } as const;

/** The colour of a node's failure policy. */
export const POLICY_COLOURS = { stop: '#64748b', skip: '#d97706', retry: '#2563eb' } as const;

export const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** The text cut to a width in Latin letters; wide letters count twice. */
export function fitText(text: string, letters: number): string {
  let left = letters;
  let end = 0;
  for (const letter of text) {
    left -= isWide(letter) ? 2 : 1;
    if (left < 0) return `${text.slice(0, Math.max(0, end - 1))}…`;
    end += letter.length;
  }
  return text;
}

/** A node as a card: the left edge shows its policy, a dot that it asks first. */
export function card(node: PlanNode, { x, y }: SvgPoint): string {
  const { policy } = node.on_failure;
  const colour = POLICY_COLOURS[policy];
  const note = policy === 'retry' ? `retry ${node.on_failure.attempts}` : policy === 'skip' ? 'skip' : '';
  const title = `${node.id}: ${node.tool}@${node.version}, on failure ${policy}${node.confirm ? ', asks first' : ''}`;
  const parts = [
    `<g transform="translate(${roundCoordinate(x)} ${roundCoordinate(y)})"><title>${escapeXml(title)}</title>`,
    `<rect width="${CARD.width}" height="${CARD.height}" rx="8" fill="#ffffff" stroke="#cbd5e1"/>`,
    `<path d="M8 0a8 8 0 0 0 -8 8v${CARD.height - 16}a8 8 0 0 0 8 8z" fill="${colour}"/>`,
    `<text x="18" y="21" class="id">${escapeXml(fitText(node.id, 16))}</text>`,
    `<text x="18" y="38" class="tool">${escapeXml(fitText(node.tool, note === '' ? 19 : 13))}</text>`,
    note === '' ? '' : `<text x="${CARD.width - 10}" y="38" class="note" style="fill:${colour}">${note}</text>`,
    node.confirm ? askMark(CARD.width - 16, 16) : '',
    '</g>',
  ];
  return parts.join('');
}

/** The mark of a node that asks a person first. */
export const askMark = (x: number, y: number): string =>
  `<circle cx="${x}" cy="${y}" r="8" fill="#7c3aed"/><text x="${x}" y="${y + 3.8}" class="ask">?</text>`;

/** A smooth line through points that leaves and arrives horizontally. */
export function curve(points: readonly SvgPoint[], style: string): string {
  const [first, ...others] = points;
  if (first === undefined) return '';
  let previous = first;
  let path = `M${roundCoordinate(first.x)} ${roundCoordinate(first.y)}`;
  for (const point of others) {
    const middle = (previous.x + point.x) / 2;
    path += `C${roundCoordinate(middle)} ${roundCoordinate(previous.y)} ${roundCoordinate(middle)} ${roundCoordinate(point.y)} ${roundCoordinate(point.x)} ${roundCoordinate(point.y)}`;
    previous = point;
  }
  return `<path d="${path}" ${style}/>`;
}

export const roundCoordinate = (value: number): number => Math.round(value * 10) / 10;

/** Han, kana, Hangul and full-width letters. */
const isWide = (letter: string): boolean =>
  /[\u1100-\u115f\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60]/u.test(letter);
