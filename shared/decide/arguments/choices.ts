import { splitIdentifier, termOf } from '../../search/text.ts';
import { contextOf } from './cues.ts';
import { nearestWord } from './near-words.ts';
import type { Proposal } from './proposal.ts';
import type { Reading } from './reading.ts';
import { conversionRole, roleOf } from './roles.ts';
import type { Slot } from './slot.ts';
import { otherSpelling } from './spellings.ts';
import type { Token } from './tokens.ts';

/** Whether all choices are numbers, which are matched like other numbers: by the words beside them. */
export const isNumeric = ({ choices }: Slot): boolean =>
  choices.length > 0 &&
  choices.every(
    ({ value, phrases }) => phrases[0] === String(value) && (IDLE.has(String(value)) || Number.isFinite(Number(value))),
  );

/** Whether the choices include the strings `True` and `False`. */
export const isYesNo = ({ choices }: Slot): boolean =>
  choices.some(({ value }) => /^true$/iu.test(String(value))) &&
  choices.some(({ value }) => /^false$/iu.test(String(value)));

/** The choices that the text names, by their own words, another spelling or a similar word. */
export const choicesSaid = (slot: Slot, reading: Reading, subject: ReadonlySet<string>): readonly Proposal[] => {
  const said = slot.choices.flatMap(({ value, phrases }) => {
    if (IDLE.has(String(value).toLowerCase())) return [];
    let best: Mention | undefined;
    for (const phrase of phrases) {
      const match = mention(phrase, slot, reading, subject);
      if (match !== undefined && match.own > (best?.own ?? 0)) best = match;
    }
    return best === undefined ? [] : [{ value, ...best, how: 'choice' as const, shares: true as const }];
  });
  // A weak match of the default yields to another choice: the `all` of `all the postgres servers` may be no choice.
  const others = said.some(({ value, own }) => value !== slot.default && own >= 0.8);
  // If the same words match both `comedy` and `comedy-drama`, the longer choice is meant.
  return said.filter(
    (one) =>
      !(others && one.value === slot.default && one.own < 0.8) &&
      !said.some(
        (other) => other.start <= one.start && one.end <= other.end && other.end - other.start > one.end - one.start,
      ),
  );
};

export type Mention = Pick<Proposal, 'start' | 'end' | 'from' | 'own' | 'source'>;

/** The examples of the description that the text has word for word. */
export const examplesSaid = (slot: Slot, reading: Reading, subject: ReadonlySet<string>): readonly Proposal[] =>
  slot.examples.flatMap((example) => {
    const wanted = termsIn(example);
    if (wanted.length === 0 || IDLE.has(example.toLowerCase()) || isSlight(splitIdentifier(example))) return [];
    if (wanted.every((term) => slot.nameTerms.includes(term) || subject.has(term))) return [];
    const run = findRun(wanted, reading);
    return run === undefined || isInName(run, reading)
      ? []
      : [
          {
            value: example,
            start: run.start,
            end: run.end,
            from: run.text,
            source: 'example',
            own: 0.75,
            how: 'choice' as const,
          },
        ];
  });

/** Whether a match is part of a longer proper name, such as `history` in Natural History Museum. */
export const isInName = ({ start, end }: Pick<Run, 'start' | 'end'>, { spans }: Reading): boolean =>
  spans.some(
    (span) => span.kind === 'proper' && span.start <= start && end <= span.end && span.end - span.start > end - start,
  );

const mention = (phrase: string, slot: Slot, reading: Reading, subject: ReadonlySet<string>): Mention | undefined => {
  const wanted = termsIn(phrase);
  if (wanted.length === 0) return undefined;
  const role = (start: number): number => roleOf(slot) * conversionRole(reading, start);
  const outside = findRuns(wanted, reading, reading.words.free);
  // In `from English to Danish` the language after `to` is the target.
  const [best] = outside.toSorted((one, other) => role(other.start) - role(one.start));
  // The `png` of `cat.png` is part of a file name.
  if (best === undefined && findRun(wanted, reading) !== undefined) return undefined;
  const exact = best;
  if (exact === undefined) return otherSpelling(phrase, reading) ?? nearMention(wanted, slot, reading, subject);
  const at = { start: exact.start, end: exact.end, from: exact.text, source: 'choice' as const };
  // A short or common word may be a coincidence, unless the slot is named beside it.
  const doubtful = isSlight(splitIdentifier(phrase)) && !besideSlot(exact.start, exact.end, slot, reading);
  return { ...at, own: doubtful ? 0.4 : 0.82 + Math.min(0.1, wanted.length * 0.03) };
};

const termsIn = (phrase: string): readonly string[] => splitIdentifier(phrase).map((word) => termOf(word) || word);

const isSlight = (wanted: readonly string[]): boolean => {
  const joined = wanted.join(' ');
  return (joined.length <= 2 && !/\d/u.test(joined)) || COMMON.has(joined);
};

interface Run {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

const findRun = (wanted: readonly string[], reading: Reading): Run | undefined =>
  findRuns(wanted, reading, reading.words.all)[0];

const findRuns = (wanted: readonly string[], { text }: Reading, words: readonly Token[]): readonly Run[] => {
  const joined = wanted.join('');
  const runs: Run[] = [];
  const [first] = wanted;
  for (let at = 0; at < words.length; at++) {
    const token = words[at] as Token;
    if (token.term === joined || token.lower === joined) {
      runs.push({ start: token.start, end: token.end, text: token.text });
      continue;
    }
    if (token.term !== first && token.lower !== first) continue;
    if (!wanted.every((term, offset) => words[at + offset]?.term === term || words[at + offset]?.lower === term))
      continue;
    const end = words[at + wanted.length - 1]?.end ?? token.end;
    runs.push({ start: token.start, end, text: text.slice(token.start, end) });
  }
  return runs;
};

/** Similar words count only if the tool itself is not about them: `movie` does not choose the genre. */
const nearMention = (
  wanted: readonly string[],
  slot: Slot,
  reading: Reading,
  subject: ReadonlySet<string>,
): Mention | undefined => {
  const { tokens } = reading;
  const near = wanted.map((term) => nearestWord(term, slot, reading, subject));
  const mean = near.reduce((sum, found) => sum + (found?.similarity ?? 0), 0) / near.length;
  const [first] = near;
  if (mean < NEAR || first === undefined) return undefined;
  const beside = near.every((found) => found !== undefined && isBeside(found.token, slot, tokens));
  return {
    start: first.token.start,
    end: first.token.end,
    from: near.map((found) => found?.token.text ?? '').join(' '),
    source: 'near_choice',
    own: mean + (beside ? 0.3 : 0),
  };
};

/** Whether the slot is named just before or after, as in `the comic genre` or `genre: comic`. */
const isBeside = (said: Token, slot: Slot, tokens: readonly Token[]): boolean => {
  const at = tokens.indexOf(said);
  return [tokens[at - 1], tokens[at + 1]].some((token) => token !== undefined && slot.nameTerms.includes(token.term));
};

const besideSlot = (start: number, end: number, slot: Slot, reading: Reading): boolean =>
  contextOf(reading, { start, end, text: '' }).some(({ term }) => slot.nameTerms.includes(term));

const NEAR = 0.45;
const IDLE: ReadonlySet<string> = new Set([
  'dontcare',
  'any',
  'none',
  'null',
  'n/a',
  'default',
  'other',
  '',
  'true',
  'false',
]);
const COMMON: ReadonlySet<string> = new Set(
  'all on off in to get post put other good new open low high my now'.split(' '),
);
