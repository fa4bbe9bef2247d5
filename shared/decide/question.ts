import { splitIdentifier } from '../search/text.ts';
import type { Slot } from './arguments/slot.ts';

const HAN = /\p{Script=Han}/u;
const SHOWN_CHOICES = 6;

/** What to ask a person for a parameter that the task does not give, in the language of the task. */
export const questionFor = (slot: Slot, task: string): string => {
  const name = splitIdentifier(slot.name).join(' ');
  const choices = slot.choices.slice(0, SHOWN_CHOICES).map(({ value }) => String(value));
  const purpose = (slot.description.split(/(?<=[.。])\s/u)[0] ?? '').replace(/[.。]$/u, '').slice(0, 160);
  if (HAN.test(task)) {
    return `请提供 ${name}${purpose === '' ? '' : `（${purpose}）`}${choices.length === 0 ? '？' : `：${choices.join('、')}？`}`;
  }
  const what = purpose === '' ? `What is the ${name}?` : `What is the ${name}? (${purpose})`;
  return choices.length === 0 ? what : `${what} One of: ${choices.join(', ')}.`;
};
