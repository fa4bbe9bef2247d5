import { useClient } from './context.ts';
import { useEffect } from './use-effect.ts';
import { useState } from './use-state.ts';

const EVERY_MS = 15_000;
const ANSWERED = 'assay:answered';

/** Tells whoever counts that a question was answered on this page. */
export const tellAnswered = (): void => void dispatchEvent(new Event(ANSWERED));

/** The number of calls and nodes that wait for approval, polled while the page is visible. */
export const useWaiting = (on: string): number => {
  const client = useClient();
  const [waiting, setWaiting] = useState(0);
  useEffect(() => {
    let isOver = false;
    let latest = 0;
    const look = async (): Promise<void> => {
      if (document.hidden) return;
      const mine = ++latest;
      // A key that may not approve has nothing to approve.
      const calls = await client.confirmations().then(
        ({ confirmations }) => confirmations.filter(({ state }) => state === 'pending').length,
        () => undefined,
      );
      const runs =
        calls === undefined
          ? 0
          : await client.runs({ status: 'waiting', limit: '20' }).then(
              (page) =>
                page.runs.flatMap(({ nodes }) => nodes.filter(({ status }) => status === 'waiting_approval')).length,
              () => 0,
            );
      if (!isOver && mine === latest) setWaiting((calls ?? 0) + runs);
    };
    void look();
    const timer = setInterval(() => void look(), EVERY_MS);
    const lookNow = (): void => void look();
    addEventListener(ANSWERED, lookNow);
    return () => {
      isOver = true;
      removeEventListener(ANSWERED, lookNow);
      clearInterval(timer);
    };
  }, [on]);
  return waiting;
};
