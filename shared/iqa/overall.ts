import figures from '../../metadata/opinion.json' with { type: 'json' };
import { type Knots, type OpinionModel, type Prediction, predict } from './opinion-model.ts';

/** A predicted mean opinion on 1..5 with the interval that contains 90 % of mean opinions. */
export interface PredictedOverall extends Prediction {
  /** Our word for a range of scores: the raters gave only numbers. */
  readonly word: Word;
  /** The metrics it was predicted from. */
  readonly tools: readonly string[];
}

export type Word = 'excellent' | 'good' | 'fair' | 'poor' | 'bad';

/**
 * Predicts the mean opinion of a picture beside its reference, from raw scores by tool, by the best model all of whose
 * metrics are among them. Undefined if there is no such model: without a reference no single number is reliable.
 */
export const overallOf = (rawByTool: Readonly<Record<string, number | undefined>>): PredictedOverall | undefined => {
  const known = Object.fromEntries(
    Object.entries(rawByTool).filter((entry): entry is [string, number] => Number.isFinite(entry[1])),
  );
  const model = MODELS.find(({ tools }) => tools.every((tool) => tool in known));
  if (!model) return undefined;
  const prediction = predict(model, KNOTS, known);
  return { ...prediction, word: wordFor(prediction.score), tools: model.tools };
};

/**
 * The interval that contains 90 % of mean opinions of pictures with this raw score, widened to include the normalised
 * score. Undefined for a metric that no model was fitted for.
 */
export const opinionInterval = (
  tool: string,
  raw: number,
  normalized: number,
): Pick<Prediction, 'low' | 'high'> | undefined => {
  const alone = overallOf({ [tool]: raw });
  return alone && { low: Math.min(alone.low, normalized), high: Math.max(alone.high, normalized) };
};

const KNOTS: Knots = figures.knots;
const MODELS = (figures.models as unknown as readonly OpinionModel[]).toSorted((a, b) => a.rmse - b.rmse);

// Mean opinions of TID2013's five levels of distortion are 4.0, 3.9, 3.5, 3.1 and 2.6; of its JPEG files 4.3 to 2.1.
const WORDS: readonly (readonly [from: number, word: Word])[] = [
  [4.4, 'excellent'],
  [3.9, 'good'],
  [3.4, 'fair'],
  [2.6, 'poor'],
];

const wordFor = (score: number): Word => WORDS.find(([from]) => score >= from)?.[1] ?? 'bad';
