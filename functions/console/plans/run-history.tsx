import type { RunFilter, RunView } from '../answers.ts';
import { useClient } from '../context.ts';
import { showMs, showTime } from '../format.ts';
import { Panel } from '../ui/panel.tsx';
import { Badge, Empty, Field } from '../ui/parts.tsx';
import { useKept } from '../use-kept.ts';
import { useLoad } from '../use-load.ts';
import { RUN_WORDS } from './status.tsx';

const FILTERS: readonly (readonly [RunFilter | '', string])[] = [
  ['', 'any status'],
  ['waiting', 'waiting for approval'],
  ['running', 'running'],
  ['ok', 'succeeded'],
  ['failed', 'failed'],
  ['cancelled', 'cancelled'],
];

interface Props {
  /** What the watched run looks like; the list is read again when it changes. */
  readonly current: string | undefined;
}

/** Runs of the last 30 days, newest first; each opens with its plan. */
export const RunHistory = ({ current }: Props) => {
  const client = useClient();
  const [status, setStatus] = useKept<RunFilter | ''>('runs.status', '');
  const load = useLoad(() => client.runs({ status, limit: '20' }), [status, current]);
  const runs = load.value?.runs ?? [];
  return (
    <Panel title="Runs" about="Kept for 30 days." load={load}>
      <div class="filters three">
        <Field label="Status">
          <select
            value={status}
            onChange={(event: Event) => setStatus((event.target as HTMLSelectElement).value as RunFilter | '')}
          >
            {FILTERS.map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        </Field>
      </div>
      {runs.length === 0 && <Empty title="No runs">Make a plan above and run it, and it appears here.</Empty>}
      <ul class="entries">
        {runs.map((run) => (
          <RunRow key={run.run_id} run={run} />
        ))}
      </ul>
    </Panel>
  );
};

const RunRow = ({ run }: { readonly run: RunView }) => {
  const [tone, word] = RUN_WORDS[run.status];
  const done = run.nodes.filter(({ status }) => status === 'ok').length;
  const asks = run.nodes.filter(({ status }) => status === 'waiting_approval').map(({ id }) => id);
  return (
    <li class="entry">
      <div class="row between">
        <div class="row">
          <a href={`#/plans/${run.run_id}`}>{showTime(run.started_at)}</a>
          <Badge tone={tone}>{word}</Badge>
          {asks.length > 0 && <Badge tone="warn">{asks.join(', ')} asks for approval</Badge>}
        </div>
        <span class="small muted number">
          {done} of {run.nodes.length} done{run.duration_ms === undefined ? '' : `, ${showMs(run.duration_ms)}`}
        </span>
      </div>
      <p class="tiny muted">
        {run.nodes.map(({ tool }) => tool).join(' · ')}
        {run.error ? `: ${run.error.message}` : ''}
      </p>
    </li>
  );
};
