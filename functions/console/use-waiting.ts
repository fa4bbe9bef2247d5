import { useClient } from './context.ts';
import { useEffect } from './use-effect.ts';
import { useState } from './use-state.ts';

const EVERY_MS = 15_000;

/** How many calls and nodes of runs wait for a person; looked at again now and then while the page is seen. */
export const useWaiting = (on: string): number => {
  const client = useClient();
  const [waiting, setWaiting] = useState(0);
  useEffect(() => {
    let isOver = false;
    const look = async (): Promise<void> => {
      if (document.hidden) return;
      // Whoever may not approve has nothing waiting.
      const [calls, runs] = await Promise.all([
        client.confirmations().then(
          ({ confirmations }) => confirmations.filter(({ state }) => state === 'pending').length,
          () => 0,
        ),
        client.runs({ status: 'waiting', limit: '20' }).then(
          (page) =>
            page.runs.flatMap(({ nodes }) => nodes.filter(({ status }) => status === 'waiting_approval')).length,
          () => 0,
        ),
      ]);
      if (!isOver) setWaiting(calls + runs);
    };
    void look();
    const timer = setInterval(() => void look(), EVERY_MS);
    return () => {
      isOver = true;
      clearInterval(timer);
    };
  }, [on]);
  return waiting;
};
