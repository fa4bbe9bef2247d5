import { useState as useHonoState, useLayoutEffect, useRef } from 'hono/jsx/dom';

type Next<T> = T | ((before: T) => T);

/**
 * A component's state. When the state of an unmounted component is set, Hono renders it again beside its replacement,
 * so changes after unmounting are dropped.
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
