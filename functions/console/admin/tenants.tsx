import type { Tenant } from '../answers.ts';
import { useClient } from '../context.ts';
import { plural, showMoney } from '../format.ts';
import { Notice } from '../ui/notice.tsx';
import { Panel } from '../ui/panel.tsx';
import { Badge, Button, Empty, Field } from '../ui/parts.tsx';
import { useAction, useLoad } from '../use-load.ts';
import { useState } from '../use-state.ts';
import { type MadeKey, Secret } from './secret.tsx';

/** The tenants of this server: the operator lists them, creates new ones and acts for them. */
export const Tenants = () => {
  const client = useClient();
  const [made, setMade] = useState<MadeKey | undefined>(undefined);
  const [older, setOlder] = useState<readonly Tenant[]>([]);
  const [cursor, setCursor] = useState<string | undefined>(undefined);
  const load = useLoad(async () => {
    const page = await client.tenants();
    setOlder([]);
    setCursor(page.next_cursor);
    return page.tenants;
  }, []);
  const more = useAction(async () => {
    const page = await client.tenants(cursor);
    setOlder((before) => [...before, ...page.tenants]);
    setCursor(page.next_cursor);
  });
  const tenants = [...(load.value ?? []), ...older];
  const finish = (key: MadeKey): void => {
    setMade(key);
    load.reload();
  };
  return (
    <div class="group">
      {made && <Secret made={made} onKept={() => setMade(undefined)} />}
      <Panel title="Tenants" about="None sees anything of another. Use is of this month." load={load}>
        {tenants.length === 0 && load.value && <Empty title="No tenants">A tenant begins with its first key.</Empty>}
        <ul class="entries">
          {tenants.map((tenant) => (
            <TenantRow key={tenant.tenant} tenant={tenant} isCurrent={tenant.tenant === client.tenant()} />
          ))}
        </ul>
        <Notice fault={more.fault} onRetry={() => void more.run()} />
        {cursor !== undefined && (
          <Button isBusy={more.isBusy} onClick={() => void more.run()}>
            Show more tenants
          </Button>
        )}
        {load.value && <NewTenant onMade={finish} />}
      </Panel>
    </div>
  );
};

interface RowProps {
  readonly tenant: Tenant;
  readonly isCurrent: boolean;
}

const TenantRow = ({ tenant: { tenant, keys, calls, micros }, isCurrent }: RowProps) => {
  const client = useClient();
  return (
    <li class="entry">
      <div class="row between">
        <div class="row">
          <code>{tenant}</code>
          {isCurrent && <Badge tone="accent">acting for it</Badge>}
        </div>
        <div class="row">
          <span class="small muted number">
            {plural(keys, 'key')} · {plural(calls, 'call')} · {showMoney(micros)}
          </span>
          <Button
            kind="quiet"
            label={`Act for this tenant: ${tenant}`}
            disabled={isCurrent}
            onClick={() => client.actFor(tenant)}
          >
            Act for this tenant
          </Button>
        </div>
      </div>
    </li>
  );
};

const NewTenant = ({ onMade }: { onMade(key: MadeKey): void }) => {
  const client = useClient();
  const [tenant, setTenant] = useState('');
  const make = useAction(async () => {
    const name = tenant.trim();
    onMade(
      await client.makeKey({
        tenant: name,
        name: `${name} admin`,
        scopes: ['read', 'invoke', 'write', 'approve', 'tenant_admin'],
      }),
    );
    setTenant('');
  });
  const submit = (event: Event): void => {
    event.preventDefault();
    void make.run();
  };
  return (
    <form class="stack" onSubmit={submit}>
      <Field label="New tenant" hint="Lower-case letters, digits, - and _. It gets a key that administers it.">
        <input
          type="text"
          autocomplete="off"
          required
          value={tenant}
          onInput={(event: Event) => setTenant((event.target as HTMLInputElement).value)}
        />
      </Field>
      <Notice fault={make.fault} />
      <div class="row">
        <Button type="submit" isBusy={make.isBusy} disabled={tenant.trim() === ''}>
          Make the tenant
        </Button>
      </div>
    </form>
  );
};
