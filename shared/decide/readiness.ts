import table from '../../metadata/ready.json' with { type: 'json' };
import type { Extraction } from './arguments/extract.ts';
import { classOf, joined } from './arguments/feature-names.ts';
import { wantsRegion } from './arguments/format-place.ts';
import type { Source } from './arguments/proposal.ts';
import type { Slot } from './arguments/slot.ts';
import type { SpanKind } from './arguments/span.ts';
import type { Evaluated } from './evaluate.ts';
import type { Leftover } from './leftover.ts';
import { sumOfTrees } from './trees.ts';

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

/** A place whose state or country nobody said, or words that nothing marks as a value, are shown and asked about. */
export const isAssumed = ({ how, source, confidence }: Extraction): boolean =>
  how === 'gazetteer' || (source !== undefined && FREE.has(source) && confidence < SURELY);
const SURELY = 0.9;

/** From this probability on a call is ready: about 94 in 100 such calls of public benchmarks were right for tools that were not learnt from. */
export const READY_FROM = table.threshold;

const WEIGHTS: Readonly<Record<string, number>> = table.weights;

/** What the probability of a call is made of, each by name. */
export const readinessFeatures = ({
  best,
  second,
  found,
  missing,
  leftover,
  words,
  chinese,
}: CallEvidence): readonly (readonly [string, number])[] => {
  const { needs } = best;
  const values = [...found.values()];
  const chances = needs.slots.map(({ name }) => {
    const value = found.get(name);
    return value === undefined || value === needs.found.get(name) ? (needs.chances.get(name) ?? 1) : GIVEN;
  });
  const certainty = chances.reduce((sum, chance) => sum + Math.log(chance), 0);
  const weakest = Math.min(1, ...chances);
  const openChances = chances.filter((_, at) => !found.has(needs.slots[at]?.name ?? ''));
  const certaintyOpen = openChances.reduce((sum, chance) => sum + Math.log(chance), 0);
  const fit = Math.log(best.confidence / (1 - Math.min(best.confidence, 0.999)));
  const margin = second === undefined ? MARGIN : best.score - second.score;
  const open = needs.slots.length - found.size;
  const { sentence } = best.features;
  const contest = Math.min(needs.contest(), 8);
  return [
    ['bias', 1],
    ['certainty', Math.max(certainty, -5)],
    ['certainty of open', Math.max(certaintyOpen, -5)],
    ['certainty of filled', Math.max(certainty - certaintyOpen, -5)],
    ['weakest open', Math.min(1, ...openChances)],
    ['weakest', weakest],
    ['weakest above 0.6', Math.max(0, weakest - 0.6)],
    ['weakest above 0.8', Math.max(0, weakest - 0.8)],
    ['weakest above 0.9', Math.max(0, weakest - 0.9)],
    ['fit', clamp(fit, -3, 5)],
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
    ...slotFeatures(needs.slots, found, chances),
  ];
};

/** How each value was read for what kind of parameter, and what kinds were left open: some are right far more often. */
const slotFeatures = (
  slots: readonly Slot[],
  found: ReadonlyMap<string, Extraction>,
  chances: readonly number[],
): ReadonlyMap<string, number> => {
  const sums = new Map<string, number>();
  const add = (name: string, value: number): void => {
    sums.set(name, Math.min(SAME, (sums.get(name) ?? 0) + value));
  };
  for (const [at, slot] of slots.entries()) {
    const need = slot.required ? 'required' : 'optional';
    const doubt = 1 - (chances[at] ?? 1);
    const value = found.get(slot.name);
    if (value === undefined) {
      add(joined(joined('open', need), classOf(slot)), 1);
      add(joined('open doubt', need), doubt);
      if (slot.default !== undefined) add('open default', 1);
      continue;
    }
    // `Sunol` where `City, State` is asked for lacks what nobody here knows.
    if (slot.kind === 'place' && wantsRegion(slot) && !String(value.value).includes(',')) add('bare place', 1);
    const source = value.source ?? 'given';
    add(joined('from', source), 1);
    add(joined(joined('from', source), classOf(slot)), 1);
    add(joined('filled', classOf(slot)), 1);
    add(joined('doubt', source), doubt);
    add(joined('doubt', need), doubt);
    if (value.how !== undefined) add(joined('by', value.how), 1);
    addStanding(value, source, add);
  }
  return sums;
};
const SAME = 4;

/** Whether a value was told from the others by its name or only by their order. */
const addStanding = (
  { standing, lead = FAR }: Extraction,
  source: string,
  add: (name: string, value: number) => void,
): void => {
  add('lead', Math.max(0, FAR - lead) / FAR);
  if (standing === undefined || !MANY.has(source)) return;
  if (standing.rivals > 0 && standing.named === 0) add(joined('by order', source), 1);
  if (standing.claimed > standing.named) add('claimed', 1);
  if (standing.elsewhere > standing.named) add('named elsewhere', 1);
  if (standing.named === 1) add(joined('named', source), 1);
};
const FAR = 3;
/** Of these a request has often several, of which each is another's. */
const MANY: ReadonlySet<string> = new Set(['number', 'proper', 'quoted', 'code', 'moment', 'single', 'run']);

const clamp = (value: number, low: number, high: number): number => Math.min(high, Math.max(low, value));

/** Kinds of values of which one that nobody took was often said for a parameter that was left open. */
const UNUSED: readonly SpanKind[] = ['quoted', 'number', 'moment', 'proper', 'code'];
const MARGIN = 4;
/** What the caller gave by name is as meant. */
const GIVEN = 0.99;
/** Readings of words that nothing marks as a value. */
const FREE: ReadonlySet<Source> = new Set<Source>([
  'phrase',
  'written',
  'labelled',
  'said_as',
  'whole',
  'about',
  'rest',
  'sort',
  'colon',
  'object',
  'phrase_list',
]);
