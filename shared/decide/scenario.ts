import { profileOf } from '../search/profile.ts';
import type { Request } from '../search/request.ts';
import { SCENARIOS, type Shares, scenariosOf, speaksForAny } from '../search/scenarios.ts';
import { termOf, wordsOf } from '../search/text.ts';
import { asWritten } from './as-written.ts';
import type { Candidate, Step } from './decision.ts';

export interface ScenarioStep extends Step {
  readonly step: 'scenario';
  readonly decided: readonly { readonly id: string; readonly name: string; readonly share: number }[];
}

/** Step 1: what the task is about. The scenario is one feature of the ranking and never excludes a tool. */
export const classifyScenario = (
  request: Request,
  pool: readonly Candidate[],
  catalogue: number,
): { readonly step: ScenarioStep; readonly scenarios: Shares } => {
  const quoted = quotedTerms(request.text);
  const own = request.terms.filter(({ term }) => !quoted.has(term));
  const terms = (own.length > 0 ? own : request.terms).flatMap(({ term, same }) => [term, ...same.slice(0, 1)]);
  const scenarios = scenariosOf(terms);
  const top = [...scenarios].slice(0, 3).filter(([, share]) => share >= 0.15);
  const inside = top.length === 0 ? [] : pool.filter(({ tool }) => sharesScenario(profileOf(tool).scenarios, top));
  const ids = new Set(top.map(([id]) => id));
  const evidence = terms.filter((term) => speaksForAny(term, ids));
  return {
    scenarios,
    step: {
      step: 'scenario',
      by: 'rules',
      decided: top.map(([id, share]) => ({ id, name: scenarioName(id), share: round(share) })),
      evidence: asWritten(evidence.slice(0, 8), request),
      confidence: round(top[0]?.[1] ?? 0),
      candidates: { before: catalogue, after: inside.length === 0 ? pool.length : inside.length },
      notes: [
        inside.length === 0
          ? `no ${top.length === 0 ? 'scenario stands out' : 'tool is in these scenarios'}, so none is preferred`
          : `${inside.length} of the ${pool.length} tools that share words with the task are in these scenarios; the others are kept with less weight`,
      ],
    },
  };
};

/** Terms that occur only in quotes, which are values: hashing 'hello world' is not about the world. */
const quotedTerms = (text: string): ReadonlySet<string> => {
  const inside = text.match(QUOTED);
  if (!inside) return new Set();
  const outside = new Set(wordsOf(text.replace(QUOTED, ' ')).map(termOf));
  return new Set(
    wordsOf(inside.join(' '))
      .map(termOf)
      .filter((term) => !outside.has(term)),
  );
};

const QUOTED = /"[^"]*"|(?<!\w)'[^']*'(?!\w)|“[^“”]*”|「[^「」]*」/g;

const sharesScenario = (own: Shares, top: readonly (readonly [string, number])[]): boolean =>
  own.size === 0 || top.some(([id]) => (own.get(id) ?? 0) > 0.1);

const scenarioName = (id: string): string => SCENARIOS.find((scenario) => scenario.id === id)?.name ?? id;

export const round = (value: number): number => Math.round(value * 1000) / 1000;
