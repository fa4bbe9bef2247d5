import table from '../../metadata/ready.json' with { type: 'json' };
import type { Extraction } from './arguments/extract.ts';
import type { Source } from './arguments/proposal.ts';
import type { Slot } from './arguments/slot.ts';
import type { SpanKind } from './arguments/span.ts';
import type { Evaluated } from './evaluate.ts';
import type { Leftover } from './leftover.ts';
import { sumOfTrees } from './trees.ts';
import { valueFeatures } from './value-features.ts';

/** The evidence by which a whole call is judged: its tool, the next best tool, and its values. */
export interface CallEvidence {
  readonly best: Evaluated;
  /** The next best tool that would be a different answer. */
  readonly second: Evaluated | undefined;
  /** The values of the draft, from the request, the context or a model. */
  readonly found: ReadonlyMap<string, Extraction>;
  /** The number of missing required parameters and of schema violations. */
  readonly missing: number;
  readonly leftover: Leftover;
  readonly words: number;
  readonly chinese: boolean;
}

/** The probability that tool and arguments are exactly right: weights and trees fitted on known answers. */
export const callProbability = (evidence: CallEvidence): number => {
  const features = readinessFeatures(evidence);
  let sum = 0;
  for (const [name, value] of features) sum += value * (WEIGHTS[name] ?? 0);
  const byName = new Map(features);
  const placed = table.features.map((name) => byName.get(name) ?? 0);
  return 1 / (1 + Math.exp(-sum - sumOfTrees(table.trees, placed)));
};

/** Whether no value of a call is a guess to ask about first, and no day of the request was left out. */
export const isUnderstood = ({ found, leftover }: CallEvidence): boolean =>
  leftover.undated === 0 && ![...found.values()].some(isAssumed);

/** Whether a value is a guess: a region added from the gazetteer, or uncertain words that nothing marks as a value. */
export const isAssumed = ({ how, source, confidence }: Extraction): boolean =>
  how === 'gazetteer' || (source !== undefined && UNMARKED.has(source) && confidence < SURELY);
const SURELY = 0.9;

/** The threshold of a ready call: on public benchmarks about 94 in 100 such calls of held-out tools were right. */
export const READY_FROM = table.threshold;

const WEIGHTS: Readonly<Record<string, number>> = table.weights;

/** The named features of the probability of a call. */
export const readinessFeatures = (evidence: CallEvidence): readonly (readonly [string, number])[] => {
  const { best, second, found, missing, leftover, words, chinese } = evidence;
  const { needs } = best;
  const values = [...found.values()];
  const chances = chancesOf(evidence, needs.chances);
  const left = chancesOf(evidence, needs.freeChances());
  const isOpen = (_: number, at: number): boolean => !found.has(needs.slots[at]?.name ?? '');
  const [certainty, certaintyOpen] = [certaintyOf(chances), certaintyOf(chances.filter(isOpen))];
  const [sure, sureOpen] = [certaintyOf(left), certaintyOf(left.filter(isOpen))];
  const [weakest, weakestLeft] = [Math.min(1, ...chances), Math.min(1, ...left)];
  const fit = oddsOf(best.confidence);
  const margin = second === undefined ? MARGIN : best.score - second.score;
  const open = needs.slots.length - found.size;
  const { sentence } = best.features;
  const contest = Math.min(needs.contest(), 8);
  return [
    ['bias', 1],
    ['certainty', Math.max(certainty, -5)],
    ['certainty of open', Math.max(certaintyOpen, -5)],
    ['certainty of filled', Math.max(certainty - certaintyOpen, -5)],
    ['weakest open', Math.min(1, ...chances.filter(isOpen))],
    ['weakest', weakest],
    ['weakest above 0.6', Math.max(0, weakest - 0.6)],
    ['weakest above 0.8', Math.max(0, weakest - 0.8)],
    ['weakest above 0.9', Math.max(0, weakest - 0.9)],
    ['sure left', Math.max(sure, -5)],
    ['sure left of open', Math.max(sureOpen, -5)],
    ['sure left of filled', Math.max(sure - sureOpen, -5)],
    ['weakest left', weakestLeft],
    ['weakest left above 0.6', Math.max(0, weakestLeft - 0.6)],
    ['weakest left above 0.8', Math.max(0, weakestLeft - 0.8)],
    ['fit', fit],
    ['fits surely', clamp(fit - 1, 0, 4)],
    ['margin', clamp(margin, 0, MARGIN)],
    ['close margin', margin < 0.5 ? 1 : 0],
    ['contest', contest],
    ['contest above 2', Math.max(0, contest - 2)],
    ['contest above 4', Math.max(0, contest - 4)],
    ['nothing contested', contest === 8 ? 1 : 0],
    ['alone', second === undefined ? 1 : 0],
    ['explained', needs.explained],
    ['explained well', Math.max(0, needs.explained - 0.7)],
    ['unused', Math.min(needs.unused.length, 4)],
    ['anything unused', needs.unused.length > 0 ? 1 : 0],
    ...UNUSED.map(
      (kind) => [`unused ${kind}`, Math.min(needs.unused.filter((each) => each === kind).length, 3)] as const,
    ),
    ['missing', Math.min(missing, 2)],
    ['values', Math.min(found.size, 6)],
    ['no values', found.size === 0 ? 1 : 0],
    ['open', Math.min(open, 10)],
    ['free text', values.filter(({ source }) => source !== undefined && FREE.has(source)).length],
    ['lists', values.filter(({ value }) => Array.isArray(value)).length],
    ['objects', values.filter(({ value }) => typeof value === 'object' && !Array.isArray(value)).length],
    ['completed places', values.filter(({ how }) => how === 'gazetteer').length],
    [
      'open choices',
      Math.min(4, needs.slots.filter(({ name, choices }) => !found.has(name) && choices.length > 0).length),
    ],
    [
      'open switches',
      Math.min(4, needs.slots.filter(({ name, type }) => !found.has(name) && type === 'boolean').length),
    ],
    [
      'open numbers',
      Math.min(
        4,
        needs.slots.filter(({ name, type }) => !found.has(name) && (type === 'integer' || type === 'number')).length,
      ),
    ],
    [
      'open names',
      Math.min(
        4,
        needs.slots.filter(({ name, kind }) => !found.has(name) && (kind === 'person' || kind === 'place')).length,
      ),
    ],
    [
      'open moments',
      Math.min(4, needs.slots.filter(({ name, kind }) => !found.has(name) && /date|time/u.test(kind)).length),
    ],
    ...OPEN_FOR.map(
      ([kind, isOpen]) =>
        [
          `open for ${kind}`,
          Math.min(
            needs.unused.filter((each) => each === kind).length,
            needs.slots.filter((slot) => !found.has(slot.name) && isOpen(slot)).length,
            2,
          ),
        ] as const,
    ),
    ['called', best.features.called],
    ['meaning', best.features.meaning],
    ['subject', best.features.subject],
    ['telling', best.features.telling],
    ['purpose', best.features.purpose],
    ['nearness', best.features.nearness],
    ['reach', best.features.reach],
    ['sure', best.features.sure],
    ['typed', best.features.typed],
    ['near', values.filter(({ source }) => source === 'near_choice' || source === 'near_boolean').length],
    ['length', Math.log2(1 + Math.min(words, 200)) / 4],
    ['chinese', chinese ? 1 : 0],
    ['unexplained', Math.min(leftover.unexplained, 5)],
    ['rarest unexplained', leftover.rarest],
    ['foreign', leftover.foreign],
    ['hinted', Math.min(leftover.hinted, 3)],
    ['hints', Math.min(leftover.hints, 3)],
    ['unsaid', Math.min(leftover.unsaid, 4)],
    ['most unsaid', leftover.mostUnsaid],
    ['sibling', leftover.sibling],
    ['far', Math.min(leftover.far, 4)],
    ['opening', leftover.opening],
    ['beside', Math.min(leftover.beside, 3)],
    ['twice', Math.min(leftover.twice, 2)],
    ['capitals', Math.min(leftover.capitals, 4)],
    ['near open', leftover.near],
    ['undated', Math.min(leftover.undated, 1)],
    ['rival explains', second === undefined ? 0 : clamp(second.needs.explained - needs.explained, -0.5, 0.5)],
    ['rival sure', second?.needs.sure ?? 0],
    ['rival fits', second === undefined ? -3 : oddsOf(second.confidence)],
    ['rival lacks', second === undefined ? 1 : second.needs.missing],
    ['name', best.features.name],
    ['phrases', best.features.phrases],
    ['distinct', best.features.distinct],
    ['scenario', best.features.scenario],
    ['intent', best.features.intent],
    ['text', best.features.text],
    // Without the encoder these are 0.
    ['encoded', sentence === 0 ? 0 : 1],
    ['similarity', sentence],
    ['more similar', clamp(sentence - (second?.features.sentence ?? sentence), -0.3, 0.3)],
    ...valueFeatures(needs.slots, found, chances),
  ];
};

/** For each parameter, the probability that it is right; `GIVEN` for a value that is not from the request's words. */
const chancesOf = ({ best: { needs }, found }: CallEvidence, chances: ReadonlyMap<string, number>): readonly number[] =>
  needs.slots.map(({ name }) => {
    const value = found.get(name);
    return value === undefined || value === needs.found.get(name) ? (chances.get(name) ?? 1) : GIVEN;
  });

const certaintyOf = (chances: readonly number[]): number => chances.reduce((sum, chance) => sum + Math.log(chance), 0);

/** Log odds, clamped to the range of a feature. */
const oddsOf = (chance: number): number => clamp(Math.log(chance / (1 - Math.min(chance, 0.999))), -3, 5);

const clamp = (value: number, low: number, high: number): number => Math.min(high, Math.max(low, value));

/** Kinds of unused values that were often meant for a parameter left open. */
const UNUSED: readonly SpanKind[] = ['quoted', 'number', 'moment', 'proper', 'code'];
/** Kinds of unused values, and the open parameters that they may have been meant for. */
const OPEN_FOR: readonly (readonly [SpanKind, (slot: Slot) => boolean])[] = [
  ['moment', ({ kind }) => /date|time/u.test(kind)],
  ['number', ({ type }) => type === 'integer' || type === 'number'],
  ['proper', ({ type, choices }) => type === 'string' && choices.length === 0],
];
const MARGIN = 4;
/** The probability of a value from the context or a model. */
const GIVEN = 0.99;
/** Sources of words that nothing marks as a value. */
const UNMARKED: ReadonlySet<Source> = new Set<Source>([
  'phrase',
  'written',
  'whole',
  'about',
  'rest',
  'object',
  'phrase_list',
]);
/** Sources of free text, including text marked by words around it, as `single` is by the noun in `a single room`. */
const FREE: ReadonlySet<Source> = new Set<Source>([...UNMARKED, 'labelled', 'said_as', 'sort', 'colon']);
