import { type Features, type Measure, measureFor, wordFeatures } from '../search/features.ts';
import { withLead } from '../search/leads.ts';
import { meaningFeatures } from '../search/nearness.ts';
import { type Profile, profileOf } from '../search/profile.ts';
import { isIn, type Request } from '../search/request.ts';
import type { Shares } from '../search/scenarios.ts';
import { type FeatureWeights, isEncoded, weighed, weightsFor } from '../search/weights.ts';
import { asWritten } from './as-written.ts';
import type { Candidate, DecideDeps, Step } from './decision.ts';
import { round } from './scenario.ts';

export interface Matched extends Pick<Candidate, 'bonus' | 'unavailable' | 'remembered'> {
  readonly profile: Profile;
  readonly features: Features;
}

export interface MatchStep extends Step {
  readonly step: 'match';
  readonly decided: readonly { readonly tool: string; readonly score: number }[];
}

/** Outweighs any other score, so that a tool that cannot run is chosen only if none can. */
export const UNAVAILABLE = -50;
const COMPARED = 12;
const VAGUE_COMPARED = 48;
const SHOWN = 5;

/** Whether no tool covers much of the request's words, so that its values have to decide. */
export const isVague = (list: readonly Pick<Matched, 'features'>[]): boolean =>
  list.every(({ features }) => features.subject < 0.25);

/** Step 3: which tools can do it, by their words, meaning, intent and scenario. */
export const matchCapabilities = (
  request: Request,
  pool: readonly Candidate[],
  known: { readonly intent: string | undefined; readonly scenarios: Shares; readonly among: number },
  { index, rankingWeights }: Pick<DecideDeps, 'index' | 'rankingWeights'>,
): { readonly step: MatchStep; readonly matched: readonly Matched[]; readonly measure: Measure } => {
  const profiles = pool.map(({ tool }) => profileOf(tool));
  const measure = measureFor(request, index, profiles, known);
  const words = pool.map(({ tool, text, ...more }) => ({
    ...more,
    profile: profileOf(tool),
    features: wordFeatures(measure, profileOf(tool), text),
  }));
  const read = withLead(words, 'likest');
  const ranking = rankingWeights ?? weightsFor(request.text, isEncoded(read), known.among).ranking;
  const matched = ranked(read, ranking)
    .slice(0, isVague(read) ? VAGUE_COMPARED : COMPARED)
    .map((each) => ({ ...each, features: { ...each.features, ...meaningFeatures(measure, each.profile) } }));
  const best = ranked(withLead(matched, 'nearest'), ranking);
  const said = request.byTopic
    .filter((term) => best[0] !== undefined && isIn(term, best[0].profile.all))
    .map(({ term }) => term);
  return {
    matched: best,
    measure,
    step: {
      step: 'match',
      by: 'rules',
      decided: best
        .slice(0, SHOWN)
        .map(({ profile, features }) => ({ tool: profile.tool.name, score: round(weighed(features, ranking)) })),
      evidence: asWritten(said.slice(0, 8), request),
      confidence: round(best[0]?.features.subject ?? 0),
      candidates: { before: pool.length, after: best.length },
    },
  };
};

const ranked = (list: readonly Matched[], weights: FeatureWeights): readonly Matched[] =>
  list
    .map((matched) => ({
      matched,
      score:
        weighed(matched.features, weights) +
        (matched.bonus?.score ?? 0) +
        (matched.unavailable ? UNAVAILABLE : 0) +
        (matched.remembered?.lift ?? 0),
    }))
    .sort(
      (one, other) =>
        other.score - one.score || (one.matched.profile.tool.name < other.matched.profile.tool.name ? -1 : 1),
    )
    .map(({ matched }) => matched);
