import * as z from 'zod';
import { askedArgumentsKey, askedArgumentsPk } from '../kernel/item-keys.ts';
import { isObject } from '../kernel/json.ts';
import type { Table, Write } from '../kernel/ports.ts';
import { put, readAll, stored } from '../kernel/stored.ts';
import type { Call, LayerContext } from './call.ts';
import type { Hidden } from './confirmation-item.ts';
import { cutValue } from './cut-values.ts';

const PART_CHARACTERS = 200_000;

/** Part of a call's original arguments, stored until a person has decided about it. */
export const AskedArgumentsItem = stored({
  what: 'part of the arguments of a confirmation',
  schema: z.object({ text: z.string() }),
  cure: 'call again to ask anew',
});

interface Shown {
  readonly arguments: unknown;
  /** Absent when nothing is hidden. */
  readonly hidden?: Hidden;
}

/** The arguments as shown in a list, with counts of what is hidden. */
export const showArguments = ({ redact }: Pick<LayerContext, 'redact'>, { record, args }: Call): Shown => {
  const redacted = redact.arguments(record, args);
  const shown = cutValue(redacted);
  const hidden = { redacted: countDifferences(args, redacted), cut: countDifferences(redacted, shown) };
  if (hidden.redacted + hidden.cut === 0) return { arguments: shown };
  return { arguments: shown, hidden: { ...hidden, bytes: Buffer.byteLength(JSON.stringify(args)) } };
};

/** Stores all arguments, in parts that fit table items. */
export const writeArguments = (tenant: string, id: string, args: unknown, expires: number): readonly Write[] => {
  // Escaped to ASCII, so that no part splits a character.
  const text = JSON.stringify(args).replace(/[\u0080-\uffff]/g, escapeUnit);
  return Array.from({ length: Math.ceil(text.length / PART_CHARACTERS) }, (_, part) => {
    const at = part * PART_CHARACTERS;
    const content = { text: text.slice(at, at + PART_CHARACTERS) };
    return put(askedArgumentsKey(tenant, id, part), AskedArgumentsItem, content, expires);
  });
};

/** The original arguments; undefined when they were not stored. */
export const readAskedArguments = async (table: Table, tenant: string, id: string): Promise<unknown> => {
  const { items } = await table.query(askedArgumentsPk(tenant, id));
  const text = readAll(items, AskedArgumentsItem)
    .map((part) => part.text)
    .join('');
  return text === '' ? undefined : JSON.parse(text);
};

const escapeUnit = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

const countDifferences = (before: unknown, after: unknown): number => {
  if (before === after) return 0;
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length)
    return before.reduce<number>((sum, item, at) => sum + countDifferences(item, after[at]), 0);
  if (!isObject(before) || !isObject(after)) return 1;
  const names = Object.keys(before);
  if (names.length !== Object.keys(after).length || !names.every((name) => Object.hasOwn(after, name))) return 1;
  return names.reduce((sum, name) => sum + countDifferences(before[name], after[name]), 0);
};
