import type { Iqa } from '../../iqa/iqa.ts';
import type { ScoreImageRequest } from '../../iqa/score.ts';
import type { Actor } from '../../model/key.ts';
import { type PaidReport, type ScoreContext, type ScoreOptions, scorePictures } from '../score-pictures.ts';

/** As `scorePictures`, for callers that hold the image side apart. */
export const scorePriced = (
  context: Omit<ScoreContext, 'iqa'>,
  iqa: Iqa,
  actor: Actor,
  { signal, ...request }: ScoreImageRequest,
  options: ScoreOptions = {},
): Promise<PaidReport> => scorePictures({ ...context, iqa }, actor, request, signal, options);
