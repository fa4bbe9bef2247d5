import type { KeyView } from '../answers.ts';
import { useClient } from '../context.ts';
import { showTime } from '../format.ts';
import { Notice } from '../ui/notice.tsx';
import { Panel } from '../ui/panel.tsx';
import { Button, Empty, Field } from '../ui/parts.tsx';
import { useAction, useLoad } from '../use-load.ts';
import { useState } from '../use-state.ts';

/** Grants: which keys may run which dangerous tools, and until when. */
export const Grants = ({ keys }: { readonly keys: readonly KeyView[] }) => {
  const client = useClient();
  const load = useLoad(() => client.grants(), []);
  const remove = useAction(async (key: string, tool: string) => {
    await client.removeGrant(key, tool);
    load.reload();
  });
  const keyName = (id: string): string => keys.find((key) => key.id === id)?.name ?? id;
  const grants = load.value?.grants ?? [];
  return (
    <Panel
      title="Grants"
      about="A dangerous tool runs only for a key that has a grant of it, as it was defined then."
      load={load}
    >
      {grants.length === 0 && <Empty title="No grants">Dangerous tools are refused to every key.</Empty>}
      <ul class="entries">
        {grants.map(({ key_id: key, tool, version, expires_at: until }) => (
          <li key={`${key} ${tool}`} class="entry">
            <div class="row between">
              <p>
                <strong>{keyName(key)}</strong> may run <code>{tool}</code>{' '}
                <span class="small muted">
                  {version}, until {showTime(until)}
                </span>
              </p>
              <Button
                kind="quiet"
                label={`Take ${tool} back from ${keyName(key)}`}
                onClick={() => void remove.run(key, tool)}
              >
                Take back
              </Button>
            </div>
          </li>
        ))}
      </ul>
      <Notice fault={remove.fault} />
      <NewGrant keys={keys} onMade={load.reload} />
    </Panel>
  );
};

interface NewProps {
  readonly keys: readonly KeyView[];
  onMade(): void;
}

const DAYS = [1, 7, 30] as const;

const NewGrant = ({ keys, onMade }: NewProps) => {
  const client = useClient();
  const tools = useLoad(() => client.tools({ limit: '1000' }), []);
  const dangerous = (tools.value?.tools ?? []).filter(({ spec }) => spec.permission === 'dangerous');
  const able = keys.filter(({ revoked_at: revoked }) => revoked === undefined);
  const [draft, setDraft] = useState({ key: '', tool: '', days: '1' });
  const [key, tool] = [draft.key || (able[0]?.id ?? ''), draft.tool || (dangerous[0]?.spec.name ?? '')];
  const grant = useAction(async () => {
    await client.grant(key, tool, new Date(Date.now() + Number(draft.days) * 86_400_000).toISOString());
    onMade();
  });
  const set = (name: keyof typeof draft) => (event: Event) =>
    setDraft({ ...draft, [name]: (event.target as HTMLSelectElement).value });
  const submit = (event: Event): void => {
    event.preventDefault();
    void grant.run();
  };
  return (
    <form class="stack" onSubmit={submit}>
      <div class="key-limits">
        <Field label="Key">
          <select value={key} onChange={set('key')}>
            {able.map(({ id, name }) => (
              <option key={id} value={id}>
                {name ?? id}
              </option>
            ))}
          </select>
        </Field>
        <Field label="Dangerous tool">
          <select value={tool} onChange={set('tool')}>
            {dangerous.map(({ spec }) => (
              <option key={spec.name} value={spec.name}>
                {spec.name}
              </option>
            ))}
          </select>
        </Field>
        <Field label="For">
          <select value={draft.days} onChange={set('days')}>
            {DAYS.map((days) => (
              <option key={days} value={String(days)}>
                {days === 1 ? 'a day' : `${days} days`}
              </option>
            ))}
          </select>
        </Field>
      </div>
      <Notice fault={grant.fault ?? tools.fault} />
      <div class="row">
        <Button type="submit" isBusy={grant.isBusy} disabled={key === '' || tool === ''}>
          Grant it
        </Button>
      </div>
    </form>
  );
};
