import table from '../../metadata/ranking.json' with { type: 'json' };
import type { Features } from './features.ts';

export type FeatureWeights = Readonly<Record<keyof Features, number>>;

/** The feature weights for requests in one language, learnt by `npm run fit`. */
export interface RankingWeights {
  /** Weights for ranking candidates. */
  readonly ranking: FeatureWeights;
  /** The same for search, which ignores arguments. */
  readonly search: FeatureWeights;
  /** Weights and bias of the log odds that the best candidate fits at all. */
  readonly fitting: FeatureWeights & { readonly bias: number };
}

/**
 * Chinese requests share fewer words with tools described in English, so they have their own weights. With the sentence
 * encoder, words weigh less; whether a tool fits at all is judged without it. Among many tools, the values of a request
 * suit some tool of any purpose, so the encoder's weights for search, which ignore arguments, are used.
 */
export const weightsFor = (text: string, isEncoded = false, among = 0): RankingWeights => {
  if (HAN.test(text)) return table.chinese;
  if (!isEncoded) return table.english;
  const { ranking, search } = table.encoded;
  return { ranking: among >= MANY ? search : ranking, search, fitting: table.english.fitting };
};
const MANY = 300;

/** Whether the features include those of the sentence encoder. */
export const isEncoded = (list: readonly { readonly features: Features }[]): boolean =>
  list.some(({ features }) => features.sentence !== 0);

export const weighed = (features: Features, weights: FeatureWeights): number => {
  let sum = 0;
  for (const name in features) sum += features[name as keyof Features] * weights[name as keyof Features];
  return sum;
};

const HAN = /\p{Script=Han}/u;
