import { useLayoutEffect } from 'hono/jsx/dom';
import { useState } from './use-state.ts';

const PREFIX = 'assay-kept:';
/** What a tab keeps is small: texts and choices, not pictures. */
const MOST_CHARACTERS = 200_000;

/** A state that outlives a reload of the page, and ends with the tab: what was typed is found again. */
export const useKept = <T>(name: string, initial: T) => {
  const [value, setValue] = useState<T>(() => readKept<T>(name) ?? initial);
  // Before anything else can happen: an effect waits for a frame, and a page may be left before that.
  useLayoutEffect(() => keep(name, value), [value]);
  return [value, setValue] as const;
};

const readKept = <T>(name: string): T | undefined => {
  try {
    const text = sessionStorage.getItem(`${PREFIX}${name}`);
    return text === null ? undefined : (JSON.parse(text) as T);
  } catch {
    return undefined;
  }
};

const keep = (name: string, value: unknown): void => {
  const text = JSON.stringify(value) ?? 'null';
  try {
    if (text.length <= MOST_CHARACTERS) sessionStorage.setItem(`${PREFIX}${name}`, text);
    else sessionStorage.removeItem(`${PREFIX}${name}`);
  } catch {
    // With full storage the value is just not kept over a reload.
  }
};
