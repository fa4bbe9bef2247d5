import table from '../../metadata/ready.json' with { type: 'json' };
import type { Extraction } from './arguments/extract.ts';
import type { Source } from './arguments/proposal.ts';
import type { Slot } from './arguments/slot.ts';
import type { SpanKind } from './arguments/span.ts';
import type { Evaluated } from './evaluate.ts';
import type { Leftover } from './leftover.ts';
import { sumOfTrees } from './trees.ts';
import { valueFeatures } from './value-features.ts';

/** What is known of a whole call when it is judged: the tool, the one after it, and its values. */
export interface CallEvidence {
  readonly best: Evaluated;
  /** The next tool that would be another answer. */
  readonly second: Evaluated | undefined;
  /** The values as they stand, from the request, the context or a model. */
  readonly found: ReadonlyMap<string, Extraction>;
  /** Required parameters without a value, and values that the schema refuses. */
  readonly missing: number;
  readonly leftover: Leftover;
  readonly words: number;
  readonly chinese: boolean;
}

/** How likely it is that tool and arguments are exactly right, by a table fitted on requests whose answer is known. */
export const callProbability = (evidence: CallEvidence): number => {
  const features = readinessFeatures(evidence);
  let sum = 0;
  for (const [name, value] of features) sum += value * (WEIGHTS[name] ?? 0);
  const byName = new Map(features);
  const placed = table.features.map((name) => byName.get(name) ?? 0);
  return 1 / (1 + Math.exp(-sum - sumOfTrees(table.trees, placed)));
};

/** Whether nothing of a call is a guess that is asked about first, and no day that was said is left out of it. */
export const isUnderstood = ({ found, leftover }: CallEvidence): boolean =>
  leftover.undated === 0 && ![...found.values()].some(isAssumed);

/** A place whose state or country nobody said, or words that nothing marks as a value, are shown and asked about. */
export const isAssumed = ({ how, source, confidence }: Extraction): boolean =>
  how === 'gazetteer' || (source !== undefined && UNMARKED.has(source) && confidence < SURELY);
const SURELY = 0.9;

/** From this probability on a call is ready: about 94 in 100 such calls of public benchmarks were right for tools that were not learnt from. */
export const READY_FROM = table.threshold;

const WEIGHTS: Readonly<Record<string, number>> = table.weights;

/** What the probability of a call is made of, each by name. */
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

/** By parameter, the chance that it is as meant; a value that came from elsewhere is. */
const chancesOf = ({ best: { needs }, found }: CallEvidence, chances: ReadonlyMap<string, number>): readonly number[] =>
  needs.slots.map(({ name }) => {
    const value = found.get(name);
    return value === undefined || value === needs.found.get(name) ? (chances.get(name) ?? 1) : GIVEN;
  });

const certaintyOf = (chances: readonly number[]): number => chances.reduce((sum, chance) => sum + Math.log(chance), 0);

/** Log odds, within what features may be. */
const oddsOf = (chance: number): number => clamp(Math.log(chance / (1 - Math.min(chance, 0.999))), -3, 5);

const clamp = (value: number, low: number, high: number): number => Math.min(high, Math.max(low, value));

/** Kinds of values of which one that nobody took was often said for a parameter that was left open. */
const UNUSED: readonly SpanKind[] = ['quoted', 'number', 'moment', 'proper', 'code'];
/** Kinds of values that nobody took, and the open parameters that one of them may have been said for. */
const OPEN_FOR: readonly (readonly [SpanKind, (slot: Slot) => boolean])[] = [
  ['moment', ({ kind }) => /date|time/u.test(kind)],
  ['number', ({ type }) => type === 'integer' || type === 'number'],
  ['proper', ({ type, choices }) => type === 'string' && choices.length === 0],
];
const MARGIN = 4;
/** What the caller gave by name is as meant. */
const GIVEN = 0.99;
/** Readings of words that nothing marks as a value. */
const UNMARKED: ReadonlySet<Source> = new Set<Source>([
  'phrase',
  'written',
  'whole',
  'about',
  'rest',
  'object',
  'phrase_list',
]);
/** Readings of words by what stands around them: the `single` of `a single room` is marked by the room. */
const FREE: ReadonlySet<Source> = new Set<Source>([...UNMARKED, 'labelled', 'said_as', 'sort', 'colon']);
