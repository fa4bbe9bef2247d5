import type { IqaEngine, LearnedModel } from './engine.ts';
import { executeTool } from './execute-tool.ts';
import type { IqaTool } from './metadata.ts';
import { type ImageFile, openImages } from './open-images.ts';
import { chooseFor, type ScoreDeps, type ScoreImageRequest } from './score.ts';

/** A picture to be tried, with what would score it. */
export interface Trial {
  readonly image: ImageFile;
  readonly reference?: ImageFile | undefined;
  readonly tools: readonly { readonly tool: IqaTool; readonly model?: LearnedModel | undefined }[];
}

/** Tries a picture where it harms nothing else; InvalidInput for one that ends its process. */
export type TryPicture = (trial: Trial) => Promise<void>;

type Request = Pick<ScoreImageRequest, 'image' | 'reference' | 'tools' | 'distortions'>;

/** What scoring a picture would run. */
export const trialOf = async (deps: ScoreDeps, request: Request): Promise<Trial> => {
  const { names } = await chooseFor(deps, request);
  const tools = names.flatMap((name) => deps.catalogue.find(name) ?? []);
  const able = await Promise.all(
    tools.map(async (tool) => ({ tool, model: await (await deps.computations.require(tool)).open?.() })),
  );
  return { image: request.image, reference: request.reference, tools: able };
};

/** The trial on an engine: whatever it answers, refusals included, the picture did no harm. */
export const tryOn =
  (engine: IqaEngine): TryPicture =>
  async ({ image, reference, tools }) => {
    const pictures = await openImages(engine, image, reference, undefined).decode();
    for (const { tool, model } of tools) await executeTool({ engine, log: quiet }, { tool, model, ...pictures });
  };

const quiet = { info: () => {}, warn: () => {}, error: () => {} };
