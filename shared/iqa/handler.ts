import type { Handler } from '../kernel/ports.ts';
import { type ReadImage, readImageSource } from './image-source.ts';
import { type ScoreDeps, scoreImage } from './score.ts';

/** The internal handler `iqa`: the tool being called scores the picture it is given. */
export const iqaHandler = (deps: ScoreDeps & { readonly readImage: ReadImage }): Handler => ({
  permission: 'safe',
  async run({ image, reference }, { tenant, tool, signal }) {
    const file = await readImageSource(image, 'image', tenant, deps.readImage);
    const other =
      reference === undefined ? undefined : await readImageSource(reference, 'reference', tenant, deps.readImage);
    const report = await scoreImage(deps, { tenant, image: file, reference: other, tools: [tool.name], signal });
    const [score] = report.scores;
    return definedOf({ ...score, image: report.image, reference: report.reference });
  },
});

/** An output holds JSON: what is absent is left out. */
const definedOf = (value: object): object =>
  Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined));
