import type { Alternative } from './decision.ts';
import type { Evaluated } from './evaluate.ts';
import { round } from './scenario.ts';

/** Tools as alternatives, each with the probability that it is the right one of `ranking`. */
export const toAlternatives = (tools: readonly Evaluated[], ranking: readonly Evaluated[]): readonly Alternative[] => {
  // The ranking is fitted as a softmax of scores, given that some tool fits.
  const highest = Math.max(...ranking.map(({ score }) => score));
  const weight = ({ score }: Evaluated): number => Math.exp(score - highest);
  const total = ranking.reduce((sum, one) => sum + weight(one), 0);
  const someFits = Math.max(...ranking.map(({ confidence }) => confidence));
  return tools.map((one) => ({
    tool: one.profile.tool.name,
    confidence: round((someFits * weight(one)) / total),
    fits: round(one.confidence),
    reasons: one.reasons,
  }));
};
