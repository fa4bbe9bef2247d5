import { useLayoutEffect } from 'hono/jsx/dom';

type CleanUp = () => void;

/**
 * An effect that runs after the next frame, once per change of its dependencies. Hono's own runs once more for each
 * rendering before that frame, even an outdated one, and only the last of those is cleaned up.
 */
export const useEffect = (effect: () => CleanUp | undefined, on?: readonly unknown[]): void =>
  useLayoutEffect(() => {
    let cleanUp: CleanUp | undefined;
    const frame = requestAnimationFrame(() => {
      cleanUp = effect();
    });
    return () => {
      cancelAnimationFrame(frame);
      cleanUp?.();
    };
  }, on);
