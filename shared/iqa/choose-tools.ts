import { suggest } from '../kernel/did-you-mean.ts';
import { Fault } from '../kernel/errors.ts';
import type { IqaCatalogue, IqaTool } from './metadata.ts';
import { parseDistortion, toolsForDistortion } from './queries.ts';

/** How many tools of each type are run when the caller names none. */
const BEST_SET = 3;

export interface ToolCriteria {
  readonly hasReference: boolean;
  readonly tools?: readonly string[] | undefined;
  readonly distortions?: readonly string[] | undefined;
}

/**
 * The tools that score a picture: those named, else those strong at the distortions (full-reference first when there is
 * a reference), else the best ones. Tools that were not named are chosen only if they can run here.
 */
export const chooseTools = (
  catalogue: IqaCatalogue,
  { hasReference, tools, distortions }: ToolCriteria,
  isAvailable: (tool: IqaTool) => boolean,
): readonly string[] => {
  if (tools && tools.length > 0) return [...new Set(tools)];
  const wanted = (distortions ?? []).map(parseDistortion);
  const names =
    wanted.length === 0
      ? catalogue.tools.map(({ name }) => name)
      : wanted.flatMap((category) => toolsForDistortion(catalogue, category, { reference: hasReference }));
  const candidates = [...new Set(names)].flatMap((name) => catalogue.find(name) ?? []).filter(isAvailable);
  const covered = (tool: IqaTool): number => tool.strengths.filter((strength) => wanted.includes(strength)).length;
  const ranked = candidates
    .filter((tool) => wanted.length > 0 || (tool.logistic_params && (tool.measures ?? 'quality') === 'quality'))
    .sort((a, b) => covered(b) - covered(a) || merit(b) - merit(a) || (a.name < b.name ? -1 : 1));
  const full = hasReference ? ranked.filter(({ type }) => type === 'FR').slice(0, BEST_SET) : [];
  // No-reference tools join when a distortion is asked for or there is no reference.
  const blind =
    hasReference && wanted.length === 0 ? [] : ranked.filter(({ type }) => type === 'NR').slice(0, BEST_SET);
  const chosen = [...full, ...blind].map(({ name }) => name);
  if (chosen.length > 0) return chosen;
  throw new Fault(
    'Unavailable',
    `no ${hasReference ? '' : 'no-reference '}tool that can run here is strong at ${wanted.join(', ') || 'anything'}; name the tools to use`,
    { distortions: wanted },
  );
};

/** Finds a tool by name; NotFound suggests the nearest name. */
export const requireTool = (catalogue: IqaCatalogue, name: string): IqaTool => {
  const tool = catalogue.find(name);
  if (tool) return tool;
  const near = suggest(
    name,
    catalogue.tools.map((each) => each.name),
  );
  throw new Fault('NotFound', `there is no image-quality tool ${name}${near}`, { tool: name });
};

/** Finds a tool that takes a model file; Conflict for one whose computation ships. */
export const requireLearned = (catalogue: IqaCatalogue, name: string): IqaTool => {
  const tool = requireTool(catalogue, name);
  if (tool.graph === undefined) return tool;
  throw new Fault('Conflict', `${tool.name} ships with its own computation and takes no model file`, { tool: name });
};

/** Refuses a full-reference tool when there is no reference. */
export const requireReference = ({ name, type }: IqaTool, hasReference: boolean): void => {
  if (hasReference || type === 'NR') return;
  const message = `${name} compares with a reference; give one, or use a no-reference tool such as niqe`;
  throw new Fault('InvalidInput', message, { tool: name, field: 'reference' });
};

// Published rank correlation with human opinion; tools without a published figure come last.
const merit = (tool: IqaTool): number => tool.benchmark?.srcc ?? -1;
