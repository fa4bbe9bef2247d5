import { oncePerPlace, type Reading, tokenAt } from './reading.ts';
import type { Slot } from './slot.ts';

/** 1 for a slot of a start or source, -1 for one of an end or target, 0 for others. */
export const roleOf = (slot: Slot): number => partsOf(slot).role;

/** The roles in a slot's name, cached because every proposal is compared with them. */
const partsOf = (slot: Slot): { readonly role: number; readonly player: number } => {
  let known = parts.get(slot);
  if (known === undefined) {
    known = { role: readRole(slot), player: readPlayer(slot) };
    parts.set(slot, known);
  }
  return known;
};
const parts = new WeakMap<Slot, { readonly role: number; readonly player: number }>();

const readRole = (slot: Slot): number => {
  if (/check_?in|pick_?up/iu.test(slot.name)) return 1;
  if (/check_?out|drop_?off/iu.test(slot.name)) return -1;
  if (slot.nameTerms.some((term) => START.has(term))) return 1;
  return slot.nameTerms.some((term) => END.has(term)) ? -1 : 0;
};

/** The same for a position in the text, by the preposition before it. */
export const saidRole = (reading: Reading, start: number): number => {
  const preposition = prepositionAt(reading, start);
  return SAID_START.has(preposition) ? 1 : SAID_END.has(preposition) ? -1 : 0;
};

/** In a conversion, 1 for the source and -1 for the target: `250 USD in EUR`, `litres in 3 gallons`. */
export const conversionRole = oncePerPlace((reading, start): number => {
  const before = reading.text.slice(Math.max(0, start - 16), start);
  if (/\d\s*°?\s*$/u.test(before)) return 1;
  return saidRole(reading, start) || (/\b(?:in|as|how many|how much)\s$/iu.test(before) ? -1 : 0);
});

/** The preposition just before a position in the text, such as from, to, in or by. */
export const prepositionAt = oncePerPlace(({ tokens }, start): string => {
  const first = tokenAt(tokens, start);
  for (let at = first - 1; at >= Math.max(0, first - 4); at--) {
    const word = tokens[at]?.lower ?? '';
    if (PREPOSITIONS.has(word)) return word;
    if (!SKIPPED.has(word) && !/^(?:[a-z]|=)$/u.test(word)) return '';
  }
  return '';
});

const words = (list: string): ReadonlySet<string> => new Set(list.split(' '));
const START = words('from src origin start sourc departur depart pickup sender checkin begin base 出发');
const END = words('to tgt destin end target arriv arrival dropoff recipi checkout until 到达');
const SAID_START = words('from between starting since 从');
const SAID_END = words('to until till through and into 到 去 成 为 至 转成 换成');
const PREPOSITIONS = words(
  'from to in at on by for of with near between until till through about around and into as starting named called titled since before after than over under 从 到 在 给 去 成 为 至 转成 换成',
);
const SKIPPED = words('the a an my our your date city state year month of');

/** 1 if a name has the part that a slot asks for (maker or performer), -1 for the other part, 0 if unknown. */
export const partRole = (slot: Slot, reading: Reading, start: number, end: number): number => {
  const wanted = partsOf(slot).player;
  return wanted === 0 ? 0 : wanted * saidPart(reading, start, end);
};

const readPlayer = ({ nameTerms }: Slot): number =>
  nameTerms.some((term) => PLAYERS.has(term)) ? 1 : nameTerms.some((term) => MAKERS.has(term)) ? -1 : 0;

/** 1 after `starring`, `with`, `acted by` or `the actor`, or before `in the cast`; -1 for `by` or `as the director`. */
const saidPart = (reading: Reading, start: number, end: number): number => {
  const { tokens } = reading;
  const preposition = prepositionAt(reading, start);
  const first = tokenAt(tokens, start);
  const [before = '', verb = ''] = [tokens[first - 1]?.term, tokens[first - 2]?.term];
  if (PLAYING.has(before) || (preposition === 'by' && PLAYING.has(verb))) return 1;
  if (preposition === 'by' || MAKING.has(before)) return -1;
  const after = tokenAt(tokens, end);
  for (let at = after; at < Math.min(tokens.length, after + 4); at++) {
    const { term = '', isWord = false, lower = '' } = tokens[at] ?? {};
    // A word before `by` describes the next name.
    if (!isWord || lower === 'and' || tokens[at + 1]?.lower === 'by') break;
    if (PLAYING.has(term)) return 1;
    if (MAKING.has(term)) return -1;
  }
  return preposition === 'with' ? 1 : 0;
};

const MAKERS = words('artist author director direct by singer band composer writer creator brand painter');
const PLAYERS = words('cast star starring actor actress player');
const PLAYING = words('star featur actor actress act cast starring');
const MAKING = words('director direct author writer written singer composer');
