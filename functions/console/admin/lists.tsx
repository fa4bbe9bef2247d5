import type { ListKind } from '../answers.ts';
import { useClient } from '../context.ts';
import { showTime } from '../format.ts';
import { Notice } from '../ui/notice.tsx';
import { Panel } from '../ui/panel.tsx';
import { Badge, Button, Empty, Field } from '../ui/parts.tsx';
import { useKept } from '../use-kept.ts';
import { useAction, useLoad } from '../use-load.ts';

/** The white list and the black list. */
export const ToolLists = () => (
  <div class="columns">
    <List kind="whitelist" about="Preferred, in this order." />
    <List kind="blacklist" about="Never recommended: put here by hand, or after repeated failures." />
  </div>
);

interface ListProps {
  readonly kind: ListKind;
  readonly about: string;
}

const List = ({ kind, about }: ListProps) => {
  const client = useClient();
  const load = useLoad(() => client.list(kind), []);
  const [tool, setTool] = useKept(`${kind}.tool`, '');
  const [reason, setReason] = useKept(`${kind}.reason`, '');
  const add = useAction(async () => {
    await client.putOnList(kind, tool.trim(), reason.trim() === '' ? undefined : reason.trim());
    setTool('');
    setReason('');
    load.reload();
  });
  const remove = useAction(async (name: string) => {
    await client.takeOffList(kind, name);
    load.reload();
  });
  const submit = (event: Event): void => {
    event.preventDefault();
    void add.run();
  };
  const text = (set: (value: string) => void) => (event: Event) => set((event.target as HTMLInputElement).value);
  return (
    <Panel title={kind === 'whitelist' ? 'Whitelist' : 'Blacklist'} about={about} load={load}>
      {load.value?.entries.length === 0 && <Empty title="Empty">Add a tool below.</Empty>}
      <ul class="entries">
        {load.value?.entries.map(({ name, source, at, reason: why }) => (
          <li key={name} class="entry">
            <div class="row between">
              <div class="row">
                <code>{name}</code>
                {source === 'automatic' && <Badge tone="warn">by its failures</Badge>}
              </div>
              <Button kind="quiet" label={`Take ${name} off`} onClick={() => void remove.run(name)}>
                Take off
              </Button>
            </div>
            <p class="small muted">
              {why ?? 'no reason given'} · {showTime(at)}
            </p>
          </li>
        ))}
      </ul>
      <form class="stack" onSubmit={submit}>
        <Field label="Tool">
          <input type="text" required value={tool} onInput={text(setTool)} />
        </Field>
        <Field label="Reason">
          <input type="text" value={reason} onInput={text(setReason)} />
        </Field>
        <Notice fault={add.fault ?? remove.fault} />
        <div class="row">
          <Button type="submit" isBusy={add.isBusy} disabled={tool.trim() === ''}>
            Add to the {kind}
          </Button>
        </div>
      </form>
    </Panel>
  );
};
