import { useState as useHonoState, useLayoutEffect, useRef } from 'hono/jsx/dom';

type Next<T> = T | ((before: T) => T);

/**
 * A component's state. Hono renders a component that has left the page when its state is set again, and puts it back
 * beside what took its place; so what comes after it left is dropped.
 */
export const useState = <T>(initial: T | (() => T)): readonly [T, (next: Next<T>) => void] => {
  const [value, setValue] = useHonoState<T>(initial);
  const hasLeft = useRef(false);
  useLayoutEffect(
    () => () => {
      hasLeft.current = true;
    },
    [],
  );
  const set = useRef((next: Next<T>): void => {
    if (!hasLeft.current) setValue(next);
  });
  return [value, set.current ?? setValue];
};
