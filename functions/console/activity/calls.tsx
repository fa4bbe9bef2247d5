import type { CallStatus, Execution } from '../answers.ts';
import { useClient } from '../context.ts';
import { showJson, showMoney, showMs, showTime } from '../format.ts';
import { Notice } from '../ui/notice.tsx';
import { Panel } from '../ui/panel.tsx';
import { Badge, Button, Code, Empty, Field } from '../ui/parts.tsx';
import { useKept } from '../use-kept.ts';
import { useKeyNames } from '../use-key-names.ts';
import { useAction, useLoad } from '../use-load.ts';
import { useState } from '../use-state.ts';
import { CallTrace } from './trace.tsx';

interface Filter {
  readonly tool: string;
  readonly status: CallStatus | '';
  readonly key: string;
}

const NO_FILTER: Filter = { tool: '', status: '', key: '' };
const PAGE = '50';

/** Calls, newest first, in pages. */
export const Calls = () => {
  const client = useClient();
  const keys = useKeyNames();
  const [filter, setFilter] = useKept('calls.filter', NO_FILTER);
  const asked = { ...filter, key: keys.idOf(filter.key), limit: PAGE };
  const [older, setOlder] = useState<readonly Execution[]>([]);
  const [cursor, setCursor] = useState<string | undefined>(undefined);
  const load = useLoad(async () => {
    const page = await client.executions(asked);
    setOlder([]);
    setCursor(page.next_cursor);
    return page;
  }, [JSON.stringify(asked)]);
  const more = useAction(async () => {
    const page = await client.executions({ ...asked, cursor });
    setOlder((before) => [...before, ...page.executions]);
    setCursor(page.next_cursor);
  });
  const set = (name: keyof Filter) => (event: Event) =>
    setFilter({ ...filter, [name]: (event.target as HTMLInputElement).value });
  const calls = [...(load.value?.executions ?? []), ...older];
  return (
    <Panel title="Calls" about="Kept for 30 days." load={load}>
      <div class="filters three">
        <Field label="Tool">
          <input type="text" placeholder="any tool" value={filter.tool} onChange={set('tool')} />
        </Field>
        <Field label="Status">
          <select value={filter.status} onChange={set('status')}>
            <option value="">any status</option>
            {['ok', 'failed', 'refused', 'interrupted'].map((status) => (
              <option key={status} value={status}>
                {status}
              </option>
            ))}
          </select>
        </Field>
        <Field label="Key">
          <input
            type="text"
            placeholder="any key, by name or id"
            list="known-keys"
            value={filter.key}
            onChange={set('key')}
          />
          <datalist id="known-keys">
            {keys.known.map((text) => (
              <option key={text} value={text} />
            ))}
          </datalist>
        </Field>
      </div>
      {calls.length === 0 && <Empty title="No calls">Score a picture or run a tool, and it appears here.</Empty>}
      <ul class="calls">
        {calls.map((call) => (
          <CallRow key={call.call_id} call={call} caller={keys.nameOf(call.key)} />
        ))}
      </ul>
      <Notice fault={more.fault} onRetry={() => void more.run()} />
      {cursor !== undefined && (
        <Button isBusy={more.isBusy} onClick={() => void more.run()}>
          Show older calls
        </Button>
      )}
    </Panel>
  );
};

const TONES: Readonly<Record<string, string>> = { ok: 'good', failed: 'bad', refused: 'warn' };

interface RowProps {
  readonly call: Execution;
  /** The name of its key. */
  readonly caller: string;
}

const CallRow = ({ call, caller }: RowProps) => (
  <li>
    <details class="call">
      <summary class="call-summary">
        <span class="small muted number">{showTime(call.at)}</span>
        <code>{call.tool}</code>
        <Badge tone={TONES[call.status] ?? 'neutral'}>{call.status}</Badge>
        <span class="small muted call-error">{call.error?.message ?? ''}</span>
        <span class="small number">{showMs(call.duration_ms)}</span>
        <span class="small number">{showMoney(call.charged_micros)}</span>
      </summary>
      <div class="stack call-body">
        {call.error && (
          <div class="notice">
            <p class="notice-title">{call.error.type}</p>
            <p>{call.error.message}</p>
          </div>
        )}
        <p class="small muted">
          {call.tool} {call.version} by the key {caller === call.key ? caller : `${caller} (${call.key})`}, call{' '}
          {call.call_id}
          {call.cached ? ', from the cache' : ''}
        </p>
        <CallTrace call={call.call_id} />
        <h3 class="small">Arguments</h3>
        <Code text={showJson(call.arguments)} label={`Arguments of ${call.tool}, ${showTime(call.at)}`} />
        {call.output !== undefined && (
          <>
            <h3 class="small">Output</h3>
            <Code text={showJson(call.output)} label={`Output of ${call.tool}, ${showTime(call.at)}`} />
          </>
        )}
        {call.error?.stack !== undefined && <Code text={call.error.stack} label="Stack" />}
      </div>
    </details>
  </li>
);
