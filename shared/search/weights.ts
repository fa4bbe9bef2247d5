import table from '../../metadata/ranking.json' with { type: 'json' };
import type { Features } from './features.ts';

export type FeatureWeights = Readonly<Record<keyof Features, number>>;

/** What decides between tools, learnt by `npm run fit` for requests in one language. */
export interface RankingWeights {
  /** What each feature is worth when candidates are compared. */
  readonly ranking: FeatureWeights;
  /** The same where nobody looks at arguments. */
  readonly search: FeatureWeights;
  /** What each feature says about whether the best candidate fits at all, and the level from which it does. */
  readonly fitting: FeatureWeights & { readonly bias: number };
}

/**
 * Chinese requests share fewer words with tools that are described in English, so they have weights of their own; and what
 * words are worth is less where the sentence encoder has its say. Whether a tool fits at all is judged without it.
 * Among many tools the values of a request suit some tool of any purpose: there the encoder's reading decides without them.
 */
export const weightsFor = (text: string, isEncoded = false, among = 0): RankingWeights => {
  if (HAN.test(text)) return table.chinese;
  if (!isEncoded) return table.english;
  const { ranking, search } = table.encoded;
  return { ranking: among >= MANY ? search : ranking, search, fitting: table.english.fitting };
};
const MANY = 300;

/** Whether the sentence encoder had its say on these. */
export const isEncoded = (list: readonly { readonly features: Features }[]): boolean =>
  list.some(({ features }) => features.sentence !== 0);

export const weighed = (features: Features, weights: FeatureWeights): number => {
  let sum = 0;
  for (const name in features) sum += features[name as keyof Features] * weights[name as keyof Features];
  return sum;
};

const HAN = /\p{Script=Han}/u;
