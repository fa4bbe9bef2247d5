import type { IqaEngine, LearnedModel } from './engine.ts';
import { executeTool } from './execute-tool.ts';
import type { IqaTool } from './metadata.ts';
import { type ImageFile, openImages } from './open-images.ts';
import { chooseToolsFor, type ScoreDeps, type ScoreImageRequest } from './score.ts';

/** A picture to try, and the tools and models that would score it. */
export interface Trial {
  readonly image: ImageFile;
  readonly reference?: ImageFile | undefined;
  readonly tools: readonly { readonly tool: IqaTool; readonly model?: LearnedModel | undefined }[];
}

/** Scores a picture in a process of its own; InvalidInput if it crashes that process. */
export type TryPicture = (trial: Trial) => Promise<void>;

type Request = Pick<ScoreImageRequest, 'image' | 'reference' | 'tools' | 'distortions'>;

/** The tools and models that scoring a picture would run. */
export const toTrial = async (deps: ScoreDeps, request: Request): Promise<Trial> => {
  const { names } = await chooseToolsFor(deps, request);
  const tools = names.flatMap((name) => deps.catalogue.find(name) ?? []);
  const able = await Promise.all(
    tools.map(async (tool) => ({ tool, model: await (await deps.computations.require(tool)).open?.() })),
  );
  return { image: request.image, reference: request.reference, tools: able };
};

/** Tries a picture on an engine; any answer or fault counts as success, because the process survived. */
export const tryPictureOn =
  (engine: IqaEngine): TryPicture =>
  async ({ image, reference, tools }) => {
    const pictures = await openImages(engine, image, reference, undefined).decode();
    for (const { tool, model } of tools) await executeTool({ engine, log: quiet }, { tool, model, ...pictures });
  };

const quiet = { info: () => {}, warn: () => {}, error: () => {} };
