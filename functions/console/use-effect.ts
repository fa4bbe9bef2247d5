import { useLayoutEffect } from 'hono/jsx/dom';

type CleanUp = () => void;

/**
 * An effect after the next frame, once for each change of what it depends on. Hono's own runs once more for each
 * rendering before that frame, also when it was overtaken meanwhile, and only the last of those is cleaned up.
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
