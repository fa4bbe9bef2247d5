import { omitUndefined } from '../kernel/omit-undefined.ts';
import type { Handler } from '../kernel/ports.ts';
import { type ReadImage, readImageSource } from './image-source.ts';
import { type ScoreDeps, scoreImage } from './score.ts';

/** The internal handler `iqa`: scores a picture with the tool that is called. */
export const iqaHandler = (deps: ScoreDeps & { readonly readImage: ReadImage }): Handler => ({
  permission: 'safe',
  async run({ image, reference }, { tenant, tool, signal }) {
    const file = await readImageSource(image, 'image', tenant, deps.readImage);
    const other =
      reference === undefined ? undefined : await readImageSource(reference, 'reference', tenant, deps.readImage);
    const report = await scoreImage(deps, { tenant, image: file, reference: other, tools: [tool.name], signal });
    const [score] = report.scores;
    return omitUndefined({ ...score, image: report.image, reference: report.reference });
  },
});
