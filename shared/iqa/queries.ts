import { suggest } from '../kernel/did-you-mean.ts';
import { Fault } from '../kernel/errors.ts';
import { Distortion, type IqaType } from '../model/iqa.ts';
import type { IqaCatalogue, IqaTool } from './metadata.ts';

/** Names of the tools strong at a distortion: full-reference ones first if there is a reference, else last. */
export const toolsForDistortion = (
  catalogue: IqaCatalogue,
  distortion: string,
  { reference = false }: { readonly reference?: boolean } = {},
): readonly string[] => {
  const category = parseDistortion(distortion);
  const strong = catalogue.tools.filter((tool) => tool.strengths.includes(category));
  const first: IqaType = reference ? 'FR' : 'NR';
  return [...strong.filter(({ type }) => type === first), ...strong.filter(({ type }) => type !== first)].map(nameOf);
};

/** Names of all tools of a type, whatever their strengths and whether or not they can run. */
export const toolsByType = (catalogue: IqaCatalogue, type: IqaType): readonly string[] =>
  catalogue.tools.filter((tool) => tool.type === type).map(nameOf);

/** Whether a tool is declared and, if `canLoad` is given, whether its computation can be loaded. */
export const isToolAvailable = (
  catalogue: IqaCatalogue,
  name: string,
  canLoad: (tool: IqaTool) => boolean = () => true,
): boolean => {
  const tool = catalogue.find(name);
  return tool !== undefined && canLoad(tool);
};

/** Parses a distortion category, ignoring case. */
export const parseDistortion = (given: string): Distortion => {
  const found = Distortion.options.find((option) => option.toLowerCase() === given.trim().toLowerCase());
  if (found) return found;
  throw new Fault(
    'InvalidInput',
    `${given} is not a distortion category${suggest(given, Distortion.options)}; there are ${Distortion.options.join(', ')}`,
    { distortion: given, known: Distortion.options },
  );
};

const nameOf = ({ name }: IqaTool): string => name;
