import type { Source } from '../answers.ts';
import { useClient } from '../context.ts';
import { showTime } from '../format.ts';
import { Notice } from '../ui/notice.tsx';
import { Panel } from '../ui/panel.tsx';
import { Badge, Button, Empty, Field } from '../ui/parts.tsx';
import { useKept } from '../use-kept.ts';
import { useAction, useLoad } from '../use-load.ts';

/** Where foreign tools come from, what has changed there, and what waits for a person. */
export const Sources = () => {
  const client = useClient();
  const load = useLoad(() => client.sources(), []);
  const [name, setName] = useKept('sources.name', '');
  const [url, setUrl] = useKept('sources.url', '');
  const act = useAction(async (work: () => Promise<unknown>) => {
    await work();
    load.reload();
  });
  const add = useAction(async () => {
    await client.addSource({ name: name.trim(), kind: 'mcp', url: url.trim() });
    setName('');
    setUrl('');
    load.reload();
  });
  const submit = (event: Event): void => {
    event.preventDefault();
    void add.run();
  };
  const text = (set: (value: string) => void) => (event: Event) => set((event.target as HTMLInputElement).value);
  return (
    <Panel
      title="Sources"
      about="Their tools are tools here. What changes there waits until you approve it."
      load={load}
    >
      {load.value?.sources.length === 0 && <Empty title="No sources">Add an MCP server below.</Empty>}
      <Notice fault={act.fault} />
      <ul class="entries">
        {load.value?.sources.map((source) => (
          <SourceEntry
            key={source.name}
            source={source}
            isBusy={act.isBusy}
            onRefresh={() => void act.run(() => client.refreshSource(source.name))}
            onApprove={(tool) => void act.run(() => client.approveSource(source.name, tool))}
            onRemove={() => void act.run(() => client.removeSource(source.name))}
          />
        ))}
      </ul>
      <form class="stack" onSubmit={submit}>
        <Field label="Name">
          <input type="text" required value={name} onInput={text(setName)} />
        </Field>
        <Field label="Address of an MCP server">
          <input type="url" required value={url} onInput={text(setUrl)} />
        </Field>
        <Notice fault={add.fault} />
        <div class="row">
          <Button type="submit" isBusy={add.isBusy} disabled={name.trim() === '' || url.trim() === ''}>
            Add the source
          </Button>
        </div>
      </form>
    </Panel>
  );
};

interface EntryProps {
  readonly source: Source;
  readonly isBusy: boolean;
  onRefresh(): void;
  onApprove(tool: string): void;
  onRemove(): void;
}

const SourceEntry = ({ source, isBusy, onRefresh, onApprove, onRemove }: EntryProps) => {
  const { name, kind, status, tools, drift, problems = [], error, origin, refreshed_at: at } = source;
  return (
    <li class="entry">
      <div class="row between">
        <div class="row">
          <code>{name}</code>
          <Badge>{kind}</Badge>
          <Badge tone={status === 'failing' ? 'bad' : 'good'}>{status}</Badge>
          {drift.length > 0 && <Badge tone="warn">{drift.length} drifted</Badge>}
        </div>
        <div class="row">
          <Button kind="quiet" label={`Refresh ${name}`} isBusy={isBusy} onClick={onRefresh}>
            Refresh
          </Button>
          {origin === 'request' && (
            <Button kind="quiet" label={`Remove ${name}`} onClick={onRemove}>
              Remove
            </Button>
          )}
        </div>
      </div>
      <p class="small muted">
        {tools} tools · {at === undefined ? 'never refreshed' : `refreshed ${showTime(at)}`}
        {origin === 'config' && ' · from the configuration'}
      </p>
      {error !== undefined && <p class="small">{error}</p>}
      {problems.map(({ tool, reason }) => (
        <p key={`${tool} ${reason}`} class="small muted">
          {tool} {reason}
        </p>
      ))}
      <ul class="entries">
        {drift.map(({ tool, from, to, change }) => (
          <li key={tool} class="row between">
            <a href={`#/tools/${encodeURIComponent(tool)}`}>
              {tool}: {from ?? 'new'} → {to ?? 'gone'} ({change})
            </a>
            {to !== null && (
              <Button kind="quiet" label={`Approve ${tool} ${to}`} onClick={() => onApprove(`${tool}@${to}`)}>
                Approve
              </Button>
            )}
          </li>
        ))}
      </ul>
    </li>
  );
};
