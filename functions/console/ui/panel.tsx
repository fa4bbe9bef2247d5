import type { Child } from 'hono/jsx';
import type { Load } from '../use-load.ts';
import { Notice } from './notice.tsx';
import { Button, Skeleton } from './parts.tsx';

interface Props<T> {
  readonly title: string;
  readonly about: string;
  readonly load: Load<T>;
  readonly children?: Child;
}

/** A card around loaded data: title, reload button, and the states loading, failed and loaded. */
export const Panel = <T,>({ title, about, load, children }: Props<T>) => (
  <section class="card" aria-label={title}>
    <div class="panel-head">
      <div>
        <h2>{title}</h2>
        <p class="small muted">{about}</p>
      </div>
      <Button isBusy={load.isLoading && load.value !== undefined} onClick={load.reload}>
        Reload
      </Button>
    </div>
    <Notice fault={load.fault} onRetry={load.reload} />
    {load.value === undefined && !load.fault ? <Skeleton rows={5} /> : children}
  </section>
);
