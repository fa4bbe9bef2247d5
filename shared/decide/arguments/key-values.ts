import { splitIdentifier } from '../../search/text.ts';
import type { Extraction } from './extract.ts';
import type { Reading } from './reading.ts';
import type { Slot } from './slot.ts';

/** `name=value`, `name: value` and `'name': 'value'` for slots of exactly these names. */
export const keyValues = (slots: readonly Slot[], { text }: Reading): ReadonlyMap<string, Extraction> => {
  const found = new Map<string, Extraction>();
  const byName = new Map(slots.map((slot) => [keyOf(slot.name), slot]));
  for (const match of text.matchAll(PAIR)) {
    const [whole, key = '', double, single, bare] = match;
    const slot = byName.get(keyOf(key));
    const value = slot === undefined ? undefined : typed(slot, double ?? single ?? bare ?? '');
    if (slot !== undefined && value !== undefined) found.set(slot.name, { value, confidence: 0.9, from: whole });
  }
  return found;
};

const keyOf = (name: string): string => splitIdentifier(name).join('');

const typed = (slot: Slot, text: string): unknown => {
  const value = text.trim();
  if (slot.choices.length > 0)
    return slot.choices.find((choice) => String(choice.value).toLowerCase() === value.toLowerCase())?.value;
  if (slot.type === 'string' || slot.type === 'any')
    return slot.kind === 'date' || slot.kind === 'place' ? undefined : value;
  if (slot.type === 'boolean')
    return /^(?:true|yes)$/iu.test(value) ? true : /^(?:false|no)$/iu.test(value) ? false : undefined;
  if (slot.type !== 'integer' && slot.type !== 'number') return undefined;
  const number = /^[-+]?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/iu.test(value) ? Number(value) : Number.NaN;
  return Number.isNaN(number) || (slot.type === 'integer' && !Number.isInteger(number)) ? undefined : number;
};

const PAIR =
  /(?<![\p{L}\p{N}_])['"]?([\p{L}_][\p{L}\p{N}_-]{0,63})['"]?\s?(?:=|:(?!\/\/))\s?(?:"([^"\n]{1,400})"|'([^'\n]{1,400})'|([-+]?[\p{L}\p{N}][\p{L}\p{N}_.+%-]{0,128}(?<![.])))/gu;
