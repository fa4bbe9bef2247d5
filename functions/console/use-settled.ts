import { useEffect } from './use-effect.ts';
import { useState } from './use-state.ts';

/** The value once it has not changed for a while (debounced). */
export const useSettled = <T>(value: T, ms: number): T => {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
};
