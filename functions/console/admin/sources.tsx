import type { Source } from '../answers.ts';
import { useClient } from '../context.ts';
import { plural, showTime } from '../format.ts';
import { Notice } from '../ui/notice.tsx';
import { Panel } from '../ui/panel.tsx';
import { Badge, Button, type Choice, Empty, Field, Tabs } from '../ui/parts.tsx';
import { useKept } from '../use-kept.ts';
import { useAction, useLoad } from '../use-load.ts';
import { useState } from '../use-state.ts';

type Kind = 'mcp' | 'openapi';
const KINDS: readonly Choice<Kind>[] = [
  { value: 'mcp', label: 'MCP server' },
  { value: 'openapi', label: 'OpenAPI' },
];

/** Sources of tools, their changes, and those that wait for approval. */
export const Sources = () => {
  const client = useClient();
  const load = useLoad(() => client.sources(), []);
  const [name, setName] = useKept('sources.name', '');
  const [kind, setKind] = useKept<Kind>('sources.kind', 'mcp');
  const [url, setUrl] = useKept('sources.url', '');
  const [secret, setSecret] = useState('');
  const act = useAction(async (work: () => Promise<unknown>) => {
    await work();
    load.reload();
  });
  const add = useAction(async () => {
    const token = secret.trim();
    await client.addSource({ name: name.trim(), kind, url: url.trim(), secret: token === '' ? undefined : token });
    setName('');
    setUrl('');
    setSecret('');
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
      {load.value?.sources.length === 0 && <Empty title="No sources">Add an MCP server or an API below.</Empty>}
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
        <Tabs<Kind> label="Kind of source" choices={KINDS} chosen={kind} onChoose={setKind} />
        <Field label="Name" hint="The names of its tools begin with it.">
          <input type="text" required value={name} onInput={text(setName)} />
        </Field>
        <Field label={kind === 'mcp' ? 'Address of an MCP server' : 'Address of an OpenAPI document'}>
          <input type="url" required value={url} onInput={text(setUrl)} />
        </Field>
        <Field label="Bearer token" hint="If it asks for one. It is kept encrypted and never shown again.">
          <input type="password" autocomplete="off" value={secret} onInput={text(setSecret)} />
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
        {plural(tools, 'tool')} · {at === undefined ? 'never refreshed' : `refreshed ${showTime(at)}`}
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
