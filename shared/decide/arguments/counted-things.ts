import type { Proposal } from './proposal.ts';
import type { Reading } from './reading.ts';
import type { Slot } from './slot.ts';
import type { Span } from './span.ts';

/** Reads `two apples and one pear` as a list of things or as a list of their counts, whichever the slot asks for. */
export const countedThings = (slot: Slot, items: Slot, reading: Reading): readonly Proposal[] => {
  const numbers = items.type === 'integer' || items.type === 'number';
  if (items.choices.length > 0 || (!numbers && items.type !== 'string')) return [];
  if (!slot.nameTerms.some((term) => (numbers ? AMOUNTS : THINGS).has(term))) return [];
  const things = longest(
    reading.spans.flatMap((span) => thingAt(span, reading)),
    reading,
  );
  const [first, last] = [things[0], things.at(-1)];
  if (things.length < 2 || first === undefined || last === undefined) return [];
  return [
    {
      value: things.map(({ count, thing }) => (numbers ? count : thing)),
      start: first.span.start,
      end: last.end,
      from: reading.text.slice(first.span.start, last.end),
      source: 'counted_list',
      own: 0.6,
      how: 'list',
      shares: true,
    },
  ];
};

interface Thing {
  readonly span: Span;
  readonly count: number;
  readonly thing: string;
  readonly end: number;
}

const thingAt = (span: Span, { text }: Reading): readonly Thing[] => {
  const { quantity } = span;
  const words = THING.exec(text.slice(span.end))?.[1];
  if (quantity === undefined || words === undefined || quantity.percent || quantity.currency !== undefined) return [];
  const thing = quantity.value > 1 ? words.replace(/(?<=[^s])s$/u, '') : words;
  return [{ span, count: quantity.value, thing, end: span.end + 1 + words.length }];
};

/** The longest run of things separated only by commas and conjunctions. */
const longest = (things: readonly Thing[], { text }: Reading): readonly Thing[] => {
  let best: readonly Thing[] = [];
  let run: Thing[] = [];
  for (const thing of things) {
    const last = run.at(-1);
    if (last !== undefined && !/^,?\s?(?:and|or|&|plus)?\s?$/u.test(text.slice(last.end, thing.span.start))) run = [];
    run = [...run, thing];
    if (run.length > best.length) best = run;
  }
  return best;
};

const words = (list: string): ReadonlySet<string> => new Set(list.split(' '));
const THINGS = words('item product food dish drink good articl ingredi thing order');
const AMOUNTS = words('quantiti amount count number');
const THING =
  /^\s((?:(?!(?:and|or|from|in|at|on|for|to|with|of|by)\b)[\p{L}'’-]+)(?:\s(?!(?:and|or|from|in|at|on|for|to|with|of|by|please)\b)[\p{L}'’-]+){0,2})/u;
