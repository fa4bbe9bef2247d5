import { useRef } from 'hono/jsx/dom';
import { type ApiFault, apiFault } from './fault.ts';
import { useEffect } from './use-effect.ts';
import { useState } from './use-state.ts';

export interface Load<T> {
  /** The last response, kept while a newer one is fetched, so that the page does not jump. */
  readonly value: T | undefined;
  readonly fault: ApiFault | undefined;
  readonly isLoading: boolean;
  reload(): void;
}

/** Fetches now and whenever one of `on` changes; outdated responses are dropped. */
export const useLoad = <T>(fetchValue: () => Promise<T>, on: readonly unknown[]): Load<T> => {
  const [state, setState] = useState<Omit<Load<T>, 'reload'>>({ value: undefined, fault: undefined, isLoading: true });
  const [turn, setTurn] = useState(0);
  const latest = useRef(0);
  useEffect(() => {
    const mine = (latest.current ?? 0) + 1;
    latest.current = mine;
    const settle = (next: Partial<Omit<Load<T>, 'reload'>>): void => {
      if (latest.current === mine) setState((before) => ({ ...before, isLoading: false, fault: undefined, ...next }));
    };
    setState((before) => ({ ...before, isLoading: true }));
    fetchValue().then(
      (value) => settle({ value }),
      (thrown: unknown) => settle({ fault: apiFault(thrown) }),
    );
  }, [...on, turn]);
  return { ...state, reload: () => setTurn((n) => n + 1) };
};

export interface Action<Args extends readonly unknown[]> {
  readonly fault: ApiFault | undefined;
  readonly isBusy: boolean;
  run(...args: Args): Promise<void>;
  clear(): void;
}

/** An action of the user: busy while it runs, with its error kept for display. */
export const useAction = <Args extends readonly unknown[]>(act: (...args: Args) => Promise<void>): Action<Args> => {
  const [fault, setFault] = useState<ApiFault | undefined>(undefined);
  const [isBusy, setBusy] = useState(false);
  return {
    fault,
    isBusy,
    clear: () => setFault(undefined),
    async run(...args) {
      setBusy(true);
      setFault(undefined);
      try {
        await act(...args);
      } catch (thrown) {
        const caught = apiFault(thrown);
        if (caught.code !== 'Cancelled') setFault(caught);
      } finally {
        setBusy(false);
      }
    },
  };
};
