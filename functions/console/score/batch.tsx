import { useRef } from 'hono/jsx/dom';
import { useClient } from '../context.ts';
import { apiFault } from '../fault.ts';
import { Button } from '../ui/parts.tsx';
import { useEffect } from '../use-effect.ts';
import { useState } from '../use-state.ts';
import { BatchTable } from './batch-table.tsx';
import { type BatchRow, download, formatScoresCsv } from './csv.ts';

interface Props {
  readonly pictures: readonly File[];
  readonly reference: File | undefined;
  readonly tools: readonly string[];
}

/** Two at a time keep the server's workers busy. */
const AT_ONCE = 2;

/** Scores many pictures and fills a table with the results. */
export const Batch = ({ pictures, reference, tools }: Props) => {
  const client = useClient();
  const [rows, setRows] = useState<readonly BatchRow[]>([]);
  const [isRunning, setRunning] = useState(false);
  const stopper = useRef<AbortController>(null);
  const start = async (): Promise<void> => {
    const controller = new AbortController();
    const { signal } = controller;
    stopper.current = controller;
    setRunning(true);
    setRows([]);
    const queue = [...pictures];
    const work = async (): Promise<void> => {
      for (let file = queue.shift(); file && !signal.aborted; file = queue.shift()) {
        const row = await scoreOne(file, signal);
        if (!signal.aborted) setRows((before) => [...before, row]);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    if (!signal.aborted) setRunning(false);
  };
  const scoreOne = (file: File, signal: AbortSignal): Promise<BatchRow> =>
    client.score({ image: file, reference, tools: tools.length === 0 ? undefined : tools }, { signal }).then(
      (scores) => ({ file, scores }),
      (thrown: unknown) => ({ file, fault: apiFault(thrown) }),
    );
  const stop = (): void => {
    stopper.current?.abort();
    setRunning(false);
  };
  useEffect(() => {
    void start();
    return () => stopper.current?.abort();
  }, [pictures]);
  return (
    <section class="card" aria-label="Scores of many pictures">
      <div class="row between">
        <p aria-live="polite">
          {rows.length} of {pictures.length} scored
        </p>
        <div class="row">
          {isRunning ? <Button onClick={stop}>Stop</Button> : <Button onClick={() => void start()}>Score again</Button>}
          <Button
            kind="primary"
            disabled={rows.length === 0}
            onClick={() => download('scores.csv', formatScoresCsv(rows))}
          >
            Download CSV
          </Button>
        </div>
      </div>
      <progress max={pictures.length} value={rows.length} aria-label="Pictures scored" />
      {rows.length > 0 && <BatchTable rows={rows} />}
    </section>
  );
};
