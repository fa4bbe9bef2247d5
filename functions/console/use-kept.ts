import { useLayoutEffect } from 'hono/jsx/dom';
import { useState } from './use-state.ts';

const PREFIX = 'assay-kept:';
/** Only texts and selections are stored, not pictures. */
const MOST_CHARACTERS = 200_000;

/** State that survives a reload of the page and ends with the tab, so that typed text is not lost. */
export const useKept = <T>(name: string, initial: T) => {
  const [value, setValue] = useState<T>(() => readKept<T>(name) ?? initial);
  // Stored at once and not in an effect: an effect waits for a frame, and the page may be left before that.
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
    // With full storage the value does not survive a reload.
  }
};
