import { LADDER } from '../shared/iqa/calibration/ladder.ts';
import { levelCorrelation, type Observation, pooledCorrelation, type Tool } from '../shared/iqa/calibration/observe.ts';
import { overallOf } from '../shared/iqa/overall.ts';
import { markdownTable as table } from './readme-section.ts';

/** The README's tables: how well tools track each distortion, and whether the overall prediction always falls. */
export const renderLadder = (observations: readonly Observation[], tools: readonly Tool[]): string => {
  const kinds = LADDER.map(({ kind, category }) => [
    category,
    kind,
    ...tools.map((tool) => levelCorrelation(observations, tool, kind).toFixed(2)),
  ]);
  const categories = [...new Set(LADDER.map(({ category }) => category))].map((category) => {
    const own = LADDER.filter((rung) => rung.category === category).map(({ kind }) => kind);
    return [category, ...tools.map((tool) => pooledCorrelation(observations, tool, own).toFixed(2))];
  });
  const { steps, inversions } = climb(observations);
  return [
    `\`overall\` from vsi, mdsi and haarpsi rises on ${inversions.length} of ${steps} steps${inversions.length === 0 ? '' : ` (${inversions.join('; ')})`}.`,
    'How a tool orders a whole category: rank correlation of its quality with the five steps, over all photographs and kinds together:',
    table(['category', ...tools.map(({ name }) => name)], categories),
    'How a tool follows each kind: rank correlation of its quality with the five steps, mean over photographs:',
    table(['category', 'kind', ...tools.map(({ name }) => name)], kinds),
  ].join('\n\n');
};

/** The inversions: steps down a ladder on which the overall prediction rises. */
const climb = (observations: readonly Observation[]) => {
  const photographs = [...new Set(observations.map(({ photograph }) => photograph))];
  const rawOf = (photograph: string, kind: string, level: number) =>
    Object.fromEntries(
      observations
        .filter((each) => each.photograph === photograph && each.level === level && (level === 0 || each.kind === kind))
        .filter(({ tool }) => ['vsi', 'mdsi', 'haarpsi'].includes(tool))
        .map(({ tool, raw }) => [tool, raw]),
    );
  const inversions = photographs.flatMap((photograph) =>
    LADDER.flatMap(({ kind }) => {
      const scores = [0, 1, 2, 3, 4, 5].map((level) => overallOf(rawOf(photograph, kind, level))?.score ?? Number.NaN);
      return scores.flatMap((score, at) =>
        at > 0 && !(score <= (scores[at - 1] as number)) ? [`${photograph}, ${kind}, step ${at}`] : [],
      );
    }),
  );
  return { steps: photographs.length * LADDER.length * 5, inversions };
};
