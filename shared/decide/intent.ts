import { agreement, INTENTS, intentNamed, intentsOfRequest } from '../search/intents.ts';
import { profileOf } from '../search/profile.ts';
import type { Request } from '../search/request.ts';
import type { Candidate, Step } from './decision.ts';
import { askForIntent, type Llm } from './llm.ts';
import { round } from './scenario.ts';

export interface IntentStep extends Step {
  readonly step: 'intent';
  readonly decided: { readonly id: string; readonly name: string } | null;
}

/** Step 2: the intent, by rules, or by a language model where there is one. */
export const extractIntent = async (
  request: Request,
  pool: readonly Candidate[],
  llm: Llm | undefined,
): Promise<{ readonly step: IntentStep; readonly intent: string | undefined }> => {
  const votes = intentsOfRequest(request.text);
  const asked = llm === undefined ? undefined : await askForIntent(llm, request.text, INTENTS);
  const intent = asked?.intent ?? votes[0]?.id;
  const total = votes.reduce((sum, vote) => sum + vote.votes, 0);
  const agreeing = pool.filter(({ tool }) => agreement(intent, profileOf(tool).intent) >= 0);
  const known = intent === undefined ? undefined : intentNamed(intent);
  return {
    intent,
    step: {
      step: 'intent',
      by: asked?.intent === undefined ? 'rules' : 'model',
      decided: known === undefined ? null : { id: known.id, name: known.name },
      evidence: votes.slice(0, 3).map((vote) => `${vote.word} (${vote.id})`),
      confidence: asked?.intent === undefined ? round(total === 0 ? 0 : (votes[0]?.votes ?? 0) / total) : 0.9,
      candidates: { before: pool.length, after: agreeing.length },
      notes: asked?.note === undefined ? undefined : [asked.note],
    },
  };
};
