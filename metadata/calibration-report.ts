import type { Calibration } from '../shared/iqa/calibrate.ts';
import { LADDER } from '../shared/iqa/ladder.ts';
import { following, type Observation, ordering, type Tool } from '../shared/iqa/observe.ts';

const START = '<!-- written by npm run calibrate -->';
const END = '<!-- end of what npm run calibrate writes -->';

/** The tables of the README: residuals on photographs left out of the fit, and which distortions tools follow. */
export const renderCalibration = (
  observations: readonly Observation[],
  tools: readonly Tool[],
  calibrations: readonly Calibration[],
): string => {
  const residuals = calibrations.map(({ tool, params, leftOut }) => {
    const pristine = observations.filter((each) => each.tool === tool && each.level === 0).map(({ raw }) => raw);
    const shown = [Math.min(...pristine), Math.max(...pristine)].map((raw) => raw.toFixed(3));
    return [
      tool,
      params.beta3,
      params.beta4,
      [...new Set(shown)].join(' to '),
      leftOut.rms.toFixed(2),
      leftOut.worst.toFixed(2),
      leftOut.count,
    ];
  });
  const kinds = LADDER.map(({ kind, category }) => [
    category,
    kind,
    ...tools.map((tool) => following(observations, tool, kind).toFixed(2)),
  ]);
  const categories = [...new Set(LADDER.map(({ category }) => category))].map((category) => {
    const own = LADDER.filter((rung) => rung.category === category).map(({ kind }) => kind);
    return [category, ...tools.map((tool) => ordering(observations, tool, own).toFixed(2))];
  });
  return [
    'Residuals on [1, 5] of photographs left out of the fit (each in turn), over the kinds of distortion a tool follows:',
    table(['tool', 'beta3', 'beta4', 'raw, undistorted', 'RMS', 'worst', 'pictures'], residuals),
    'How a tool orders a whole category: rank correlation of its quality with the five steps, over all photographs and kinds together:',
    table(['category', ...tools.map(({ name }) => name)], categories),
    'How a tool follows each kind: rank correlation of its quality with the five steps, mean over photographs:',
    table(['category', 'kind', ...tools.map(({ name }) => name)], kinds),
  ].join('\n\n');
};

const table = (head: readonly string[], rows: readonly (readonly (string | number)[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

/** The README with its calibration section written anew. */
export const replaceSection = (readme: string, section: string): string => {
  const [start, end] = [readme.indexOf(START), readme.indexOf(END)];
  if (start < 0 || end < start) throw new Error(`metadata/README.md has lost the lines ${START} and ${END}`);
  return `${readme.slice(0, start + START.length)}\n\n${section}\n\n${readme.slice(end)}`;
};
