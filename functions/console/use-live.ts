import { apiFault } from './fault.ts';
import { useEffect } from './use-effect.ts';
import type { Load } from './use-load.ts';
import { useState } from './use-state.ts';

/** The pause before a broken stream is reopened. */
const AGAIN_MS = 2000;

/** Values of a server's event stream while the component is mounted; a broken stream is reported and reopened. */
export const useLive = <T>(open: (signal: AbortSignal) => AsyncIterable<T>, on: readonly unknown[]): Load<T> => {
  const [state, setState] = useState<Omit<Load<T>, 'reload'>>({ value: undefined, fault: undefined, isLoading: true });
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const follow = async (): Promise<void> => {
      try {
        for await (const value of open(signal)) setState({ value, fault: undefined, isLoading: false });
      } catch (thrown) {
        const fault = apiFault(thrown);
        if (!signal.aborted) setState((before) => ({ ...before, fault, isLoading: false }));
        // Retrying does not help a key without the right to see it.
        if (fault.code === 'Forbidden') return;
      }
      if (!signal.aborted) timer = setTimeout(() => void follow(), AGAIN_MS);
    };
    void follow();
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [...on, turn]);
  return { ...state, reload: () => setTurn((n) => n + 1) };
};
