import { choicesSaid, examplesSaid, isInName } from './choices.ts';
import { countedThings } from './counted-things.ts';
import { cueOf, slotRarity } from './cues.ts';
import type { Proposal } from './proposal.ts';
import type { Reading } from './reading.ts';
import type { Slot } from './slot.ts';
import type { Span } from './span.ts';
import { fitOf } from './values.ts';

/** The candidate lists of an array slot: a literal, or values of one kind in a row. */
export const listsFor = (
  slot: Slot,
  slots: readonly Slot[],
  reading: Reading,
  subject: ReadonlySet<string>,
): readonly Proposal[] => {
  const { items } = slot;
  if (items === undefined) return [];
  return [
    ...literalLists(slot, slots, items, reading),
    ...choiceList(items, reading, subject),
    ...countedThings(slot, items, reading),
    ...runsFor(slot, slots, items, reading),
    ...exampleList(items, reading, subject),
    ...phraseLists(items, reading),
    ...singles(items, reading),
  ];
};

const literalLists = (slot: Slot, slots: readonly Slot[], items: Slot, reading: Reading): readonly Proposal[] => {
  const rarity = slotRarity(slots);
  return reading.spans
    .filter(({ literal }) => Array.isArray(literal) && literal.every((item) => ofType(item, items)))
    .map((span) => ({
      value: span.literal,
      start: span.start,
      end: span.end,
      from: span.text,
      source: 'literal_list',
      own: cueOf(reading, span, slot, rarity),
    }));
};

const ofType = (item: unknown, { type }: Slot): boolean => {
  if (type === 'any') return true;
  if (type === 'integer') return Number.isInteger(item);
  return type === 'array' ? Array.isArray(item) : typeof item === type;
};

/** One list of several values, with the span from the first to the last. */
const together = (
  parts: readonly Proposal[],
  source: Proposal['source'],
  own: number,
  value: unknown = parts.map((part) => part.value),
): readonly Proposal[] =>
  parts.length === 0
    ? []
    : [
        {
          value,
          start: Math.min(...parts.map(({ start }) => start)),
          end: Math.max(...parts.map(({ end }) => end)),
          from: parts.map(({ from }) => from).join(', '),
          source,
          own,
          how: 'list',
        },
      ];

const choiceList = (items: Slot, reading: Reading, subject: ReadonlySet<string>): readonly Proposal[] => {
  const said = choicesSaid(items, reading, subject).filter(
    (each) => each.source === 'choice' && each.own >= 0.8 && !isInName(each, reading),
  );
  return together(said, 'choice_list', Math.min(1, ...said.map(({ own }) => own))).map((list) => ({
    ...list,
    shares: true,
  }));
};

const exampleList = (items: Slot, reading: Reading, subject: ReadonlySet<string>): readonly Proposal[] =>
  items.type !== 'string' || items.choices.length > 0
    ? []
    : together(examplesSaid(items, reading, subject), 'example_list', 0.6);

/** Lists of consecutive spans separated by commas, `and` or `or`. */
const runsFor = (slot: Slot, slots: readonly Slot[], items: Slot, reading: Reading): readonly Proposal[] => {
  const rarity = slotRarity(slots);
  return runs(reading.spans, reading).flatMap((run) => {
    const fits = run.map((span) => fitOf(items, span));
    const [first] = run;
    if (run.length < 2 || first === undefined || fits.some((fit) => fit === undefined)) return [];
    const own = cueOf(reading, first, slot, rarity) + Math.min(run.length, 4) * 0.5 + (fits[0]?.score ?? 0) * 0.2;
    return [
      {
        value: fits.map((fit) => fit?.value),
        start: first.start,
        end: run.at(-1)?.end ?? first.end,
        from: run.map(({ text }) => text).join(', '),
        source: 'run' as const,
        own: own / 4,
        how: 'list' as const,
      },
    ];
  });
};

/** Lists of one value. */
const singles = (items: Slot, reading: Reading): readonly Proposal[] =>
  reading.spans.flatMap((span) => {
    const fit = span.literal === undefined ? fitOf(items, span) : undefined;
    return fit === undefined || fit.score < 0.9
      ? []
      : [
          {
            value: [fit.value],
            start: span.start,
            end: span.end,
            from: span.text,
            source: 'single',
            own: fit.score / 3,
            how: 'list',
          },
        ];
  });

/** Lists of words that are not spans: `efficient, organized, easy going and compassionate`. */
const phraseLists = (items: Slot, { text }: Reading): readonly Proposal[] => {
  if (items.type !== 'string' || items.choices.length > 0) return [];
  return Array.from(text.matchAll(PHRASES)).flatMap((match) => {
    const value = match[0]
      .split(PHRASE_MARK)
      .map((item) => item.trim())
      .filter((item) => item !== '');
    if (value.length < 2) return [];
    const place = { start: match.index, end: match.index + match[0].length, from: match[0] };
    return [
      { value, ...place, source: 'phrase_list' as const, own: Math.min(value.length, 4) / 4, how: 'list' as const },
    ];
  });
};

const PHRASES =
  /(?<=\b(?:am|are|is|with|of|uses?|using|include|including|contains?|have|has|for|between|like|from)\s)(?:[\p{L}-]+(?:\s[\p{L}-]+){0,2},\s){1,12}(?:and\s|or\s)?[\p{L}-]+(?:\s[\p{L}-]+)?(?:\s(?:and|or)\s[\p{L}-]+(?:\s[\p{L}-]+)?)?(?=[.?!]|$)|(?<=\b(?:uses?|using|with|between|like|including)\s)\p{Ll}+\sand\s\p{Ll}+(?=[.?!]|$)/gu;
const PHRASE_MARK = /,\s(?:and\s|or\s)?|\sand\s/u;

const runs = (spans: readonly Span[], { text }: Reading): readonly (readonly Span[])[] => {
  const groups: Span[][] = [];
  for (const span of spans) {
    const group = groups.at(-1);
    const last = group?.at(-1);
    const between = last === undefined ? '' : text.slice(last.end, span.start);
    if (group !== undefined && last?.kind === span.kind && JOINED.test(between)) group.push(span);
    else groups.push([span]);
  }
  return groups;
};

const JOINED = /^(?:\s?[%°\p{L}]{0,12})?\s?(?:,|、|;|and|or|&|和|与|,\s?and|,\s?or)\s?(?:the\s|an?\s)?$/iu;
