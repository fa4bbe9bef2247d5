import { isStopWord } from '../../search/text.ts';
import { knownWords } from '../../search/word-vectors.ts';
import { sameStart } from './near-words.ts';
import type { Proposal } from './proposal.ts';
import type { Reading } from './reading.ts';
import type { Slot } from './slot.ts';
import type { Token } from './tokens.ts';

/** The value that the text gives a boolean slot, by its words or similar ones; undefined without any. */
export const isMentioned = (slot: Slot, reading: Reading): Proposal | undefined =>
  (isSwitch(slot) ? switchedIn(reading) : undefined) ?? mentionIn(slot, reading);

/** Whether a slot switches something on or off, by its name (`on`, `is_enabled`) or its description. */
const isSwitch = ({ nameTerms, description }: Slot): boolean =>
  nameTerms.every((term) => SWITCHES.has(term)) || /\bon(?:\s?\/\s?|\sor\s)off\b|开关|开启/iu.test(description);

/** Reads `switch off the lights`, `lights on` or `关闭空调`; the last match counts, because `on` has other uses. */
const switchedIn = ({ text, tokens }: Reading): Proposal | undefined => {
  const match = [...text.matchAll(SWITCHED)].at(-1) ?? [...text.matchAll(LEFT_ON)].at(-1);
  if (match === undefined) return undefined;
  const said = (match[1] ?? match[0]).toLowerCase();
  const start = match.index + match[0].toLowerCase().lastIndexOf(said);
  const before = tokens.filter((token) => token.end <= start).slice(-4);
  const isDenied = before.some(({ lower }) => NEGATIONS.has(lower));
  return {
    value: OFF.test(said) === isDenied,
    start,
    end: start + said.length,
    from: said,
    source: 'boolean',
    own: 1,
    how: 'boolean',
    shares: true,
  };
};
const SWITCHES: ReadonlySet<string> = new Set('on is power activ enabl state turn switch'.split(' '));
const SWITCHED =
  /\b(?:turn|switch|put|power|leave|keep)(?:ed|ing|s)?\b(?:\s\p{L}+){0,5}?\s(on|off)\b|\b(?:enable|disable|activate|deactivate)\b|打开|开启|关闭|关掉|关上|停用|启用/giu;
/** `on` as in `bedroom lights on`, not as a preposition of what follows. */
const LEFT_ON = /\b(on|off)(?=[.,!?]|$|\s(?:at|please|now|to|with)\b)/giu;
const OFF = /^(?:off|disable|deactivate|关闭|关掉|关上|停用)$/iu;

const mentionIn = (slot: Slot, { tokens }: Reading): Proposal | undefined => {
  const wanted = slot.nameTerms.filter((term) => !AUXILIARY.has(term) && !isStopWord(term));
  if (wanted.length === 0) return undefined;
  const words = knownWords();
  const places = wanted.map((term) => {
    let best = { place: -1, nearness: NEAR };
    for (const [place, token] of tokens.entries()) {
      if (!token.isWord) continue;
      const same = token.term === term || token.lower === term || sameStart(term, token.term);
      const nearness = same ? 1 : token.isSmall ? 0 : words.similarity(term, token.term);
      if (nearness > best.nearness) best = { place, nearness };
      if (same) break;
    }
    return best;
  });
  const hit = places.filter(({ place }) => place >= 0).map(({ place }) => place);
  if (hit.length === 0) return undefined;
  const worths = wanted.map((term) => (GENERAL.has(term) ? 0.25 : 1));
  // A general word adds weight if present but costs none if absent: `suitable for children` matches good_for_kids.
  const total = worths.reduce((sum, worth, at) => (worth < 1 && (places[at]?.place ?? -1) < 0 ? sum : sum + worth), 0);
  const weigh = (holds: (nearness: number) => boolean): number =>
    places.reduce((sum, { place, nearness }, at) => {
      return place < 0 || !holds(nearness) ? sum : sum + nearness * (worths[at] ?? 0);
    }, 0) / total;
  const share = weigh(() => true);
  const same = weigh((nearness) => nearness === 1);
  // One similar word is too little for a name of several: `rent` does not mention in_unit_laundry.
  if (same === 0 && share < NEAR_ALONE) return undefined;
  const exact = same >= 0.6;
  const first = Math.min(...hit);
  const said = tokens[first];
  if (said === undefined) return undefined;
  const before = clauseBefore(tokens, first);
  const isDenied = before.some(({ lower }) => NEGATIONS.has(lower)) && !isDeniedIn(slot.description, before, said);
  const negated = isDenied || isDeniedAfter(tokens, first) || isRefused(tokens, Math.max(...hit));
  const flipped = slot.nameTerms.some((term) => term === 'disabl' || term === 'exclud');
  return {
    value: negated === flipped,
    start: said.start,
    end: said.end,
    from: said.text,
    source: exact ? 'boolean' : 'near_boolean',
    own: share,
    how: 'boolean',
    shares: true,
  };
};

/** Whether the description has the same negation, as that of free_entry has `no entry fee`. */
const isDeniedIn = (description: string, before: readonly Token[], said: Token): boolean => {
  const last = before.at(-1);
  return (
    last !== undefined && NEGATIONS.has(last.lower) && description.toLowerCase().includes(`${last.lower} ${said.lower}`)
  );
};

const isDeniedAfter = (tokens: readonly Token[], place: number): boolean =>
  tokens.slice(place + 1, place + 4).some(({ lower }) => DENIALS.has(lower));

/** `premium is not wanted`, `premium isn't needed`: only a form of `to be` stands before the negation. */
const isRefused = (tokens: readonly Token[], place: number): boolean => {
  const [next, second] = tokens.slice(place + 1, place + 3).map(({ lower }) => lower);
  const negation = next !== undefined && COPULAS.has(next) ? second : next;
  return negation !== undefined && REFUSALS.has(negation);
};
const COPULAS: ReadonlySet<string> = new Set('is are was were'.split(' '));
const REFUSALS: ReadonlySet<string> = new Set(
  "not isn't aren't wasn't weren't isn’t aren’t wasn’t weren’t never".split(' '),
);

/** The words before a position in the same clause; `or` does not end a clause. */
const clauseBefore = (tokens: readonly Token[], place: number): readonly Token[] => {
  let from = place;
  while (from > 0 && from > place - CLAUSE && !BREAKS.test(tokens[from - 1]?.lower ?? '')) from--;
  return tokens.slice(from, place);
};
const CLAUSE = 12;
const BREAKS = /^(?:[.,;:!?，。；！？]|but|and|with|then|however)$/u;

const NEAR = 0.5;
const NEAR_ALONE = 0.6;

/** Words in names of booleans that do not say what the parameter is about. */
const AUXILIARY: ReadonlySet<string> = new Set(
  'is has have includ show get enabl allow should with us be can do return only flag need want ar add request disabl exclud consid account appli in set mode option 是否'.split(
    ' ',
  ),
);
/** Common words in such names, which weigh less: in `good_for_kids` and `has_free_entry` the others matter. */
const GENERAL: ReadonlySet<string> = new Set(
  'good suitabl friendli avail accept offer provid support entri allow requir prefer type servic'.split(' '),
);
const NEGATIONS: ReadonlySet<string> = new Set(
  "no not without unlock few little hardly lack lacks lacking don't dont doesn't never exclude excluding non disable isn't 不 无 没".split(
    ' ',
  ),
);
/** Words that negate what stands before them: `premium is disabled`. */
const DENIALS: ReadonlySet<string> = new Set('false off disabled'.split(' '));
